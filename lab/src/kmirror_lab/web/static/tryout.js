// Follows what is counted, and sends what is asked for.
"use strict";

const EVERY_MS = 1000;
const ANSWER_MS_MAX = 5000;
const live = document.getElementById("live");
const output = document.getElementById("answer");

function say(state, words) {
  live.className = `live ${state}`;
  live.lastElementChild.textContent = words;
}

let asking = false;
async function refresh() {
  if (document.hidden || asking) return;
  asking = true;
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const fresh = found.getElementById(part.id);
      if (fresh && part.innerHTML !== fresh.innerHTML) part.replaceChildren(...fresh.childNodes);
    }
    say("on", "live");
  } catch {
    say("off", "no answer");
  } finally {
    asking = false;
  }
}

async function act(form) {
  const asked = new URL(form.dataset.act, location.href);
  for (const [name, text] of new FormData(form)) asked.searchParams.set(name, text);
  const topic = asked.searchParams.get("topic");
  output.className = "";
  output.textContent = "asking …";
  try {
    const answer = await fetch(asked, { method: "POST", cache: "no-store" });
    const text = await answer.text();
    output.className = answer.ok ? "" : "bad";
    output.textContent = answer.ok ? text : JSON.parse(text).message;
    const shown = new URL(location.href);
    if (answer.ok && topic && topic !== document.querySelector("h1").textContent) {
      shown.searchParams.set("topic", topic);
      location.href = shown;
    }
  } catch {
    output.className = "bad";
    output.textContent = "no answer";
  }
  await refresh();
}

for (const form of document.querySelectorAll("[data-act]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(form);
  });
}
document.addEventListener("visibilitychange", refresh);
setInterval(refresh, EVERY_MS);
refresh();
