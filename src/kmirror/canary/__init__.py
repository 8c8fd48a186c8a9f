"""The canary: records that go the whole way of a flow, written and looked for by kmirror itself."""
