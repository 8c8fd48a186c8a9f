// The dialog for replays: they go through the API, and the answer is what became of each.
"use strict";

const replayDialog = document.getElementById("replay");
const replayForm = document.getElementById("replay-form");
const replaySaid = document.getElementById("replay-answer");
let replayed = {};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-replay]");
  if (!button) return;
  replayed = button.dataset;
  replayForm.reset();
  document.getElementById("replay-title").textContent = replayed.number ? `Replay dead letter ${replayed.number}` : `Replay all of ${replayed.topic || replayed.flow}`;
  replayForm.elements.flow.placeholder = replayed.flow;
  replaySaid.textContent = "";
  replayDialog.showModal();
  replayForm.elements.reason.focus();
});
document.getElementById("replay-close").addEventListener("click", () => replayDialog.close());

async function replay(isTry) {
  if (!replayForm.reportValidity()) return;
  const body = { reason: replayForm.elements.reason.value, flow: replayForm.elements.flow.value, dry_run: isTry };
  if (replayed.number) body.numbers = [Number(replayed.number)];
  else if (replayed.topic) body.topic = replayed.topic;
  tell(replaySaid, "less", isTry ? "asking the clusters…" : "replaying…");
  try {
    const path = `flows/${encodeURIComponent(replayed.flow)}/dead-letters/replay`;
    const [answer, found] = await post(replayForm, path, body);
    if (!answer.ok) {
      tell(replaySaid, "bad", found.message);
      return;
    }
    const lines = found.replays.map((each) => `${each.number}: ${each.place}: ${each.words}`);
    if (!lines.length) lines.push("nothing to replay");
    if (found.left) lines.push(`${found.left} more: replay again for them`);
    tell(replaySaid, found.replays.some((each) => each.problem) ? "bad" : "ok", lines.join("\n"));
  } catch {
    tell(replaySaid, "bad", "The console does not answer. What was replayed is not replayed again.");
  }
}
replayForm.addEventListener("submit", (event) => { event.preventDefault(); replay(false); });
document.getElementById("replay-try").addEventListener("click", () => replay(true));
