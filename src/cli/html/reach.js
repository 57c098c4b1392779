// The page of `reach`: everything is there already; only the filter needs a script.

byId("only-dead").addEventListener("change", (event) => {
  document.body.classList.toggle("only-dead", event.target.checked);
});
