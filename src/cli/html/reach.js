// The page of `reach`: everything is there already; only the filter and the pictures need a script.

leadFrom(byId("graph"), (place) => showLine(lineOf(place)));

byId("only-dead").addEventListener("change", (event) => {
  document.body.classList.toggle("only-dead", event.target.checked);
});
