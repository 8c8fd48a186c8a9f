// What a plot says at a moment: under the pointer, or where the arrow keys have gone.
"use strict";

{
  const WIDTH = 600;
  const TELLS = {
    count: (value) => Math.round(value).toLocaleString("en"),
    rate: (value) => `${(value / 1e6).toFixed(2)} MB/s`,
    time: (value) => (value < 1 ? `${(1000 * value).toFixed(value < 0.01 ? 1 : 0)} ms` : value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`),
  };
  // Where somebody reads with keys: parts are replaced while they do.
  let reads = null;

  const pointsOf = (plot) => JSON.parse(plot.dataset.points);
  const x = (plot, atMs) => (WIDTH * (atMs - plot.dataset.from)) / (plot.dataset.to - plot.dataset.from);

  function words(plot, point) {
    const tell = TELLS[plot.dataset.kind];
    const names = plot.dataset.names.split("|");
    const said = point.slice(1).map((value, at) => `${names.length > 1 ? `${names[at]}: ` : ""}${value === null ? "not known" : tell(value)}`);
    return `${new Date(point[0]).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" })} · ${said.join(", ")}`;
  }

  function show(plot, at) {
    const points = pointsOf(plot);
    const point = points[at];
    const said = point ? words(plot, point) : "";
    plot.parentElement.querySelector("output").textContent = said;
    plot.querySelector(".cursor").setAttribute("d", point ? `M${x(plot, point[0]).toFixed(1)} 0V120` : "");
    plot.setAttribute("aria-valuenow", point ? at : points.length - 1);
    plot.setAttribute("aria-valuetext", said || words(plot, points[points.length - 1]));
  }

  function nearest(plot, fraction) {
    const points = pointsOf(plot);
    const far = (point) => Math.abs(x(plot, point[0]) - fraction * WIDTH);
    return points.reduce((best, point, at) => (far(point) < far(points[best]) ? at : best), 0);
  }

  function begin() {
    for (const plot of document.querySelectorAll(".plot[data-points]")) {
      plot.tabIndex = 0;
      plot.setAttribute("role", "slider");
      plot.setAttribute("aria-valuemin", 0);
      plot.setAttribute("aria-valuemax", pointsOf(plot).length - 1);
      show(plot, -1);
      if (reads?.title !== plot.ariaLabel) continue;
      plot.focus({ preventScroll: true });
      const at = pointsOf(plot).findIndex((point) => point[0] >= reads.atMs);
      show(plot, at);
    }
  }

  document.addEventListener("pointermove", (event) => {
    const plot = event.target.closest(".plot[data-points]");
    for (const other of document.querySelectorAll(".plot[data-points]")) {
      if (other !== plot && other !== document.activeElement) show(other, -1);
    }
    if (!plot) return;
    const box = plot.getBoundingClientRect();
    show(plot, nearest(plot, (event.clientX - box.left) / box.width));
  });
  document.addEventListener("keydown", (event) => {
    const plot = event.target.closest(".plot[data-points]");
    const last = plot && pointsOf(plot).length - 1;
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10, Home: -last, End: last };
    if (!plot || !(event.key in steps)) return;
    event.preventDefault();
    const now = reads?.title === plot.ariaLabel ? Number(plot.getAttribute("aria-valuenow")) : last;
    const at = Math.min(last, Math.max(0, now + steps[event.key]));
    reads = { title: plot.ariaLabel, atMs: pointsOf(plot)[at][0] };
    show(plot, at);
  });
  document.addEventListener("focusout", (event) => {
    // Of a part that is replaced, the focus comes back.
    if (reads && event.target.isConnected && event.target.closest(".plot")) {
      show(event.target.closest(".plot"), -1);
      reads = null;
    }
  });
  document.addEventListener("parts", begin);
  begin();
}
