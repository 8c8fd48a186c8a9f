"""Files of other systems become an `mm2.properties` and a report; pure."""
