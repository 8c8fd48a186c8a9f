// Keeps a page up to date: parts of it are asked for anew when the stream says that something is.
"use strict";

const body = document.body;
const everyMs = Number(body.dataset.every) * 1000;
const live = document.getElementById("live");
const skewMs = Number(body.dataset.now) - Date.now();

function say(state, words) {
  live.className = `live ${state}`;
  live.lastElementChild.textContent = words;
}

// Moments: how long ago, or for how long, and exactly on hover.
function age(s) {
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d`;
}

function ago(each) {
  const s = Math.max(0, (Date.now() + skewMs - Number(each.dataset.ms)) / 1000);
  if ("lasting" in each.dataset) return `for ${age(s)}`;
  return s < 2 ? "just now" : `${age(s)} ago`;
}

function tellMoments(root = document) {
  for (const each of root.querySelectorAll("time[data-ms]")) {
    const words = ago(each);
    if (each.textContent !== words) each.textContent = words;
  }
}

// A dash says why on hover; who has no pointer finds the same above the table, or touches the dash.
const labelOf = (cell) => cell?.dataset.label ?? cell?.querySelector("dt")?.textContent ?? "";

function tellDashes(root = document) {
  for (const box of root.querySelectorAll(".table-scroll, dl.tiles, dl.facts")) {
    const labels = new Map();
    for (const dash of box.querySelectorAll(".unknown[title]")) {
      const label = labelOf(dash.closest("td, th, dl > div"));
      labels.set(dash.title, (labels.get(dash.title) ?? new Set()).add(label));
    }
    if (!labels.size) continue;
    const told = document.createElement("details");
    told.className = "dashes";
    told.append(Object.assign(document.createElement("summary"), { textContent: "Why –" }), document.createElement("dl"));
    for (const [why, names] of labels) {
      told.lastElementChild.append(
        Object.assign(document.createElement("dt"), { textContent: [...names].filter(Boolean).join(", ") || "–" }),
        Object.assign(document.createElement("dd"), { textContent: why }),
      );
    }
    if (box.matches("dl")) box.after(told);
    else box.before(told);
  }
}

const bubble = Object.assign(document.createElement("p"), { className: "bubble", hidden: true });
bubble.setAttribute("role", "status");
const main = document.querySelector("main");
main.append(bubble);
addEventListener("click", (event) => {
  const dash = event.target.closest(".unknown[title]");
  bubble.hidden = !dash;
  if (!dash) return;
  const label = labelOf(dash.closest("td, th, dl > div"));
  bubble.textContent = label ? `${label}: ${dash.title}` : dash.title;
});
addEventListener("keydown", () => { bubble.hidden = true; });

// Parts: replaced where they differ, but for those that somebody works in.
async function fetched(url, also = 200) {
  const answer = await fetch(url, { headers: { "X-Kmirror-Part": "1" }, cache: "no-store" });
  if (!answer.ok && answer.status !== also) throw new Error(`HTTP ${answer.status}`);
  const found = new DOMParser().parseFromString(await answer.text(), "text/html");
  // A proxy may have said that nothing is there.
  if (!found.querySelector("main#content")) throw new Error("no page of the console's");
  return found;
}

// Where somebody is with the keyboard: what they are on, so that it can be found again when its part is another.
const ON = "a[href], button, summary";
const named = (each) => each.tagName + (each.getAttribute("href") ?? each.getAttribute("aria-label") ?? each.textContent);

function placeOf(element) {
  const part = element.closest("[data-part]");
  const name = named(element);
  const same = [...(part ?? document).querySelectorAll(ON)].filter((each) => named(each) === name);
  return { part: part?.id, name, at: same.indexOf(element) };
}

function focusAt(place) {
  const part = place.part ? document.getElementById(place.part) : document;
  const same = [...(part?.querySelectorAll(ON) ?? [])].filter((each) => named(each) === place.name);
  (same[place.at] ?? same[0])?.focus({ preventScroll: true });
}

function replaceParts(found, only = null) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const fresh = found.getElementById(part.id);
    if (!fresh || "same" in fresh.dataset || (only && part.id !== only)) continue;
    const open = [...part.querySelectorAll("details")].map((each) => each.open);
    tellMoments(fresh);
    tellDashes(fresh);
    if (part.innerHTML === fresh.innerHTML) continue;
    const place = part.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll("details").forEach((each, at) => { if (open[at] !== undefined) each.open = open[at]; });
    if (place) focusAt(place);
  }
  // Without any, all of it is what was answered.
  if (!only && (idsOf(found) !== idsOf(document) || !idsOf(document))) replaceAll(found);
  document.dispatchEvent(new Event("parts"));
}

// Parts come and go: a flow is stopped, another node has it, the first one is there. Then the page is another.
const idsOf = (root) => [...root.querySelectorAll("[data-part]")].map((each) => each.id).join(" ");
const scriptsOf = (root) => [...root.querySelectorAll("script[src]")].map((each) => each.getAttribute("src"));

function replaceAll(found) {
  // What somebody types stays; the next answer is as good.
  if (document.querySelector("dialog[open]")) return;
  const fresh = found.querySelector("main");
  const has = scriptsOf(document);
  const isLeftOut = [...fresh.querySelectorAll("[data-same]")].some((each) => !document.getElementById(each.id));
  if (isLeftOut || scriptsOf(found).some((each) => !has.includes(each))) {
    loadAgain();
    return;
  }
  const on = document.activeElement;
  const place = main.contains(on) ? placeOf(on) : null;
  // What stays is what it was: open, filled in, and where somebody is.
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const known = document.getElementById(part.id);
    if (known?.matches("[data-part]")) part.replaceWith(known);
    else tellDashes(part);
  }
  const forms = main.querySelectorAll("[data-filter]");
  fresh.querySelectorAll("[data-filter]").forEach((each, at) => { if (forms[at]) each.replaceWith(forms[at]); });
  tellMoments(fresh);
  main.replaceChildren(...fresh.childNodes, bubble);
  document.title = found.title;
  if (place) (on.isConnected ? on.focus({ preventScroll: true }) : focusAt(place));
}

let asking = false;
let again = false;
// The page itself is an answer.
let askedMs = Date.now();
let timer = 0;

async function refresh() {
  timer = 0;
  if (document.hidden) return;
  // What was typed while an answer was awaited is asked for next.
  again = asking;
  if (asking) return;
  asking = true;
  try {
    const url = location.href;
    // That a flow is not here, or not any more, is an answer, too.
    const found = await fetched(url, 404);
    // An answer about what the filter said before is none about what it says now.
    if (url === location.href) replaceParts(found);
    askedMs = Date.now();
    // Who has a flow that is not here may be known later, and then no flow that is here has changed.
    if (!document.querySelector("[data-part]")) soon();
  } catch {
    say("off", "no answer");
  } finally {
    asking = false;
    if (again) await refresh();
  }
}

function soon() {
  if (!everyMs || timer) return;
  timer = setTimeout(refresh, Math.max(0, askedMs + everyMs - Date.now()));
}

// The stream: one a tab, none while the tab is hidden.
let stream = null;
function follow() {
  if (document.hidden || !everyMs) {
    stream?.close();
    stream = null;
    return;
  }
  if (stream) return;
  stream = new EventSource("/api/v1/live?figures=false");
  stream.onopen = () => say("on", "live");
  stream.onerror = () => {
    say("off", "no answer");
    // A browser gives up for good when a proxy says that nobody is there.
    if (stream?.readyState === EventSource.CLOSED) {
      stream = null;
      setTimeout(follow, 5000);
    }
  };
  stream.addEventListener(body.dataset.follows, () => { say("on", "live"); soon(); });
}
document.addEventListener("visibilitychange", () => { follow(); soon(); });
addEventListener("pagehide", () => { stream?.close(); stream = null; });
addEventListener("pageshow", follow);

// What asks the clusters is asked for when the page is there.
async function load(url) {
  try {
    const found = await fetched(url);
    for (const part of document.querySelectorAll("[data-load]")) {
      if (part.dataset.load === url) replaceParts(found, part.id);
    }
    // A link to what has come only now.
    const wanted = location.hash && document.getElementById(location.hash.slice(1));
    if (wanted && !wanted.matches(":target")) location.replace(location.hash);
  } catch {
    say("off", "no answer");
    for (const part of document.querySelectorAll("[data-load]")) {
      const words = document.createElement("p");
      words.className = "empty";
      words.textContent = "The console did not answer. Load the page again.";
      if (part.dataset.load === url) part.querySelector(".skeleton")?.replaceWith(words);
    }
  }
}
for (const url of new Set([...document.querySelectorAll("[data-load]")].map((each) => each.dataset.load))) load(url);

// Filters: the address is that of the view.
let typing = 0;
document.addEventListener("submit", (event) => { if (event.target.matches("[data-filter]")) event.preventDefault(); });
document.addEventListener("input", (event) => {
  const form = event.target.closest("[data-filter]");
  if (!form || event.target.matches("[data-column]")) return;
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const asked = new URLSearchParams([...new FormData(form)].filter(([, text]) => text));
    history.replaceState(null, "", `?${asked}`);
    await refresh();
  }, 150);
});

// Orders go through the API: their dialog's buttons wait for the answer, and the dialog says it.
async function post(form, path, body) {
  const buttons = form.querySelectorAll("button");
  buttons.forEach((each) => { each.disabled = true; });
  try {
    const answer = await fetch(`/api/v1/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
    });
    return [answer, await answer.json()];
  } finally {
    buttons.forEach((each) => { each.disabled = false; });
  }
}

// As on the pages: what nobody would see in an answer, or what would turn it round, is an escape.
function visible(text) {
  return text.replace(/(?![\n\r\t ])[\p{C}\p{Z}]/gu, (each) => {
    const code = each.codePointAt(0).toString(16);
    const [mark, digits] = code.length < 3 ? ["x", 2] : code.length < 5 ? ["u", 4] : ["U", 8];
    return `\\${mark}${code.padStart(digits, "0")}`;
  });
}

function tell(said, tone, words) {
  said.className = tone;
  said.textContent = visible(words);
}

// Who closes a dialog is where they were, even if that was replaced meanwhile.
let lastPlace = null;
document.addEventListener("focusin", (event) => { if (!event.target.closest("dialog")) lastPlace = placeOf(event.target); });
document.addEventListener("close", () => {
  const on = document.activeElement;
  if (lastPlace && (on === body || on.closest("dialog:not([open])"))) focusAt(lastPlace);
}, true);

function loadAgain() {
  if (lastPlace) sessionStorage.setItem("place", JSON.stringify(lastPlace));
  location.reload();
}
const placeBefore = sessionStorage.getItem("place");
sessionStorage.removeItem("place");
if (placeBefore) focusAt(JSON.parse(placeBefore));

// Light or dark: as the system has it, unless somebody has chosen.
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
});

// Keys.
const keys = document.getElementById("keys");
document.getElementById("help").addEventListener("click", () => keys.showModal());
const PAGES = {
  o: "/", f: "/", g: "/groups", e: "/events", a: "/audit", n: "/canary", p: "/plan", m: "/move", c: "/config",
  k: "/clusters",
};
let went = 0;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  if (event.key === "/") {
    const field = document.querySelector("[type=search]");
    if (field) { event.preventDefault(); field.focus(); field.select(); }
  } else if (event.key === "?") {
    keys.showModal();
  } else if (/^[1-9]$/.test(event.key)) {
    document.querySelector(`[data-key="${event.key}"]`)?.click();
  } else if (Date.now() - went < 1500 && PAGES[event.key]) {
    location.href = PAGES[event.key];
  }
  went = event.key === "g" && Date.now() - went >= 1500 ? Date.now() : 0;
});

for (const each of document.querySelectorAll(".bar [aria-current], .tabs [aria-current]")) each.scrollIntoView({ block: "nearest", inline: "center" });
// Where a narrow window shows a part of a link, the browser thinks that it can be seen.
document.addEventListener("focusin", (event) => {
  if (event.target.closest(".bar nav, .tabs")) event.target.scrollIntoView({ block: "nearest", inline: "nearest" });
});
tellMoments();
tellDashes();
setInterval(tellMoments, 1000);
follow();
