// The dialog for orders: what is ordered goes through the API, and the answer is what was seen.
"use strict";

const dialog = document.getElementById("order");
const form = document.getElementById("order-form");
const said = document.getElementById("order-answer");
let place = {};

function show() {
  const verb = form.elements.verb.value;
  for (const each of form.querySelectorAll("[data-for]")) each.hidden = !each.dataset.for.split(" ").includes(verb);
  for (const each of form.elements.verb.options) {
    each.disabled = ("needsTopic" in each.dataset && !place.topic) || ("needsPartition" in each.dataset && !place.partition);
  }
  form.elements.flow.required = form.elements.flow.closest("label").hidden === false;
  document.getElementById("order-do").className = verb === "skip" || verb === "seek" ? "main danger" : "main";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-order]");
  if (!button) return;
  place = button.dataset;
  form.reset();
  form.elements.verb.value = place.order;
  const where = place.topic ? `${place.topic}${place.partition ? `-${place.partition}` : ""} of ${place.flow}` : place.flow;
  document.getElementById("order-title").textContent = where;
  form.elements.flow.placeholder = place.flow;
  tell(said, "", "");
  show();
  dialog.showModal();
  form.elements.reason.focus();
});
form.elements.verb.addEventListener("change", show);
document.getElementById("order-close").addEventListener("click", () => dialog.close());

function asked(isTry) {
  const given = form.elements;
  const body = { reason: given.reason.value };
  if (place.topic) body.topic = place.topic;
  if (place.partition) body.partition = Number(place.partition);
  const verb = given.verb.value;
  if (verb === "seek" || verb === "skip") {
    body.flow = given.flow.value;
    body.dry_run = isTry;
    if (given.to.value.trim()) body.to = given.to.value.trim();
    if (verb === "seek") body.allow_repeats = given.allow_repeats.checked;
  } else if (verb !== "resume" && given.for_s.value) {
    body.for_s = Number(given.for_s.value);
  }
  return [verb, body];
}

async function order(isTry) {
  if (!form.reportValidity()) return;
  const [verb, body] = asked(isTry);
  tell(said, "less", isTry ? "asking the clusters…" : "ordered; looking whether a driver obeys…");
  try {
    const [answer, found] = await post(form, `flows/${encodeURIComponent(place.flow)}/${verb}`, body);
    if (!answer.ok) tell(said, "bad", found.message);
    else tell(said, found.is_in_effect ? "ok" : "", [found.order, ...found.steps, found.words].join("\n"));
  } catch {
    tell(said, "bad", "The console does not answer. Look at the flow before you order it again.");
  } finally {
    soon();
  }
}
form.addEventListener("submit", (event) => { event.preventDefault(); order(false); });
document.getElementById("order-try").addEventListener("click", () => order(true));
