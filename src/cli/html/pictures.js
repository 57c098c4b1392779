// Pictures of the machine: what has a place in the source leads there, by a click or by the Enter key.

/** Shows a line of the source, and which one it is. */
function showLine(number) {
  const line = byId(`L${number}`);
  if (!line) return;
  location.hash = line.id;
  line.scrollIntoView({ block: "center" });
}

const lineOf = (place) => place.dataset.at.split(":")[0];

/** Makes the places of a picture lead somewhere. */
function leadFrom(picture, go) {
  const choose = (event) => {
    const place = event.target.closest("[data-at]");
    if (place) go(place);
  };
  picture?.querySelector("svg").setAttribute("role", "group");
  for (const place of picture?.querySelectorAll("[data-at]") ?? []) {
    place.setAttribute("tabindex", "0");
    place.setAttribute("role", "link");
  }
  picture?.addEventListener("click", choose);
  picture?.addEventListener("keydown", (event) => event.key === "Enter" && choose(event));
}

leadFrom(byId("calls"), (place) => showLine(lineOf(place)));
