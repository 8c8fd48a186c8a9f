// The dialog for moves: they go through the API, and the page shows their steps.
"use strict";

const moveDialog = document.getElementById("move");
const moveForm = document.getElementById("move-form");
const moveSaid = document.getElementById("move-answer");
const MOVE_WORDS = {
  do: "Groups go on at the other cluster from then on.",
  drill: "Every step that changes nothing is run, and measured.",
  abort: "The flow copies again. No group is moved; offsets that were set stay.",
};
let moved = {};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (!button) return;
  moved = button.dataset;
  moveForm.reset();
  for (const each of moveForm.querySelectorAll("[data-for]")) each.hidden = !each.dataset.for.split(" ").includes(moved.move);
  const what = moved.move === "abort" ? "Let it copy again" : `${moved.kind}${moved.move === "drill" ? ", a drill" : ""}`;
  document.getElementById("move-title").textContent = `${what}: ${moved.flow}`;
  document.getElementById("move-words").textContent = MOVE_WORDS[moved.move];
  document.getElementById("move-do").className = moved.move === "do" ? "main danger" : "main";
  moveForm.elements.flow.placeholder = moved.flow;
  moveSaid.textContent = "";
  moveDialog.showModal();
  moveForm.elements.reason.focus();
});
document.getElementById("move-close").addEventListener("click", () => moveDialog.close());

function moveBody() {
  const given = moveForm.elements;
  const body = { reason: given.reason.value, flow: given.flow.value };
  if (moved.move === "abort") return ["moves/abort", body];
  Object.assign(body, { kind: moved.kind, wait_s: Number(given.wait_s.value), drill: moved.move === "drill", allow_backwards: moved.back === "true", without_source: moved.without === "true" });
  if (moved.groups) body.groups = moved.groups;
  if (moved.lag) body.max_lag_records = Number(moved.lag);
  return ["moves", body];
}

moveForm.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [path, body] = moveBody();
  tell(moveSaid, "less", "ordering…");
  try {
    const [answer, found] = await post(moveForm, `flows/${encodeURIComponent(moved.flow)}/${path}`, body);
    if (answer.status === 202) {
      moveDialog.close();
      await refresh();
      document.getElementById(`move-${found.number}`)?.scrollIntoView({ block: "nearest" });
    } else {
      tell(moveSaid, answer.ok ? "ok" : "bad", answer.ok ? found.words : found.message);
    }
  } catch {
    tell(moveSaid, "bad", "The console does not answer. Look at the moves before you order it again.");
  }
});
