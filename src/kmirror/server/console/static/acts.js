// The dialog for reload and apply: what is asked goes through the API, and the answer is what was seen.
"use strict";

{
  const dialog = document.getElementById("act");
  const form = document.getElementById("act-form");
  const said = document.getElementById("act-answer");
  let act = {};
  let isDone = false;

  const place = () => (act.act === "apply" ? `flows/${encodeURIComponent(act.flow)}/apply` : "config/reload");

  const send = async (isTry) => {
    if (!form.reportValidity()) return;
    const asked = { reason: form.elements.reason.value, dry_run: isTry };
    if (act.act === "apply") asked.flow = form.elements.flow.value;
    tell(said, "less", act.act === "apply" ? "asking the clusters…" : "ordered; waiting for what the drivers say…");
    try {
      const [answer, found] = await post(form, place(), asked);
      isDone = isDone || (answer.ok && !isTry);
      if (!answer.ok) tell(said, "bad", found.message);
      else tell(said, found.is_in_effect ? "ok" : "", [found.words, ...found.steps].join("\n"));
    } catch {
      tell(said, "bad", "The console does not answer. Look at the page Events before you do it again.");
    }
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-act]");
    if (!button) return;
    act = button.dataset;
    form.reset();
    tell(said, "", "");
    for (const each of form.querySelectorAll("[data-for]")) each.hidden = each.dataset.for !== act.act;
    form.elements.flow.required = act.act === "apply";
    form.elements.flow.placeholder = act.flow || "";
    document.getElementById("act-title").textContent = act.act === "apply" ? `Apply the plan of ${act.flow}` : "Reload the file";
    dialog.showModal();
    form.elements.reason.focus();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(false); });
  document.getElementById("act-try").addEventListener("click", () => send(true));
  document.getElementById("act-close").addEventListener("click", () => dialog.close());
  // What was done is on the page when it is there again.
  dialog.addEventListener("close", () => { if (isDone) loadAgain(); });
}
