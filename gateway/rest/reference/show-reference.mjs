// What the reference page runs: Swagger UI over this server's own document, in the colours that the reader prefers, with
// what it lacks for keyboards and screen readers.
const dark = matchMedia("(prefers-color-scheme: dark)");
const chooseColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", chooseColours);
chooseColours();

/** Swagger UI's own components, corrected. */
const mended = ({ React: { createElement } }) => {
  const unseen = (text) => createElement("span", { className: "unseen" }, text);
  const labelled = (Field) => (props) =>
    createElement("label", null, unseen(props.description), createElement(Field, props));
  /** `mend` gets the drawn elements that `selector` finds in the part, to change what no property of the part decides. */
  const drawn = (selector, mend) => (Part) => (props) => {
    const mendInside = (box) => box?.querySelectorAll(selector).forEach(mend);
    return createElement("div", { ref: mendInside }, createElement(Part, props));
  };
  return {
    wrapComponents: {
      // there is one server
      ServersContainer: () => () => null,
      InfoContainer: (Info) => (props) =>
        createElement(
          "header",
          { role: "banner" },
          createElement(Info, props),
          createElement("h2", { className: "unseen" }, "Operations"),
        ),
      // a link within the button that opens the operation; its address is in the browser's bar once that is open
      DeepLink: () => (props) => createElement("span", null, props.text),
      authorizationPopup: (Popup) => (props) =>
        createElement("div", { role: "dialog", "aria-label": "Authorize" }, createElement(Popup, props)),
      CloseIcon: (Icon) => (props) => createElement("span", null, unseen("Close"), createElement(Icon, props)),
      // the text on a button is its name
      Button: (Button) => (props) =>
        createElement(Button, typeof props.children === "string" ? { ...props, "aria-label": undefined } : props),
      TextArea: (Area) => (props) => createElement(Area, { "aria-label": "Request body", ...props }),
      JsonSchema_string: labelled,
      JsonSchema_boolean: labelled,
      // its role makes it a region of the page, once for every operation, instead of a table
      responses: drawn("table[role=region]", (table) => table.removeAttribute("role")),
      // long answers are scrolled, by keyboard too
      HighlightCode: drawn("pre", (code) => code.setAttribute("tabindex", "0")),
    },
  };
};

globalThis.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  plugins: [mended],
  deepLinking: true,
  displayRequestDuration: true,
  // the names of operations and of schemas, without opening what is in them
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  // it would ask a server of the package's makers
  validatorUrl: null,
  // of its themes the one whose colours of JSON all stand out from their ground
  syntaxHighlight: { theme: "obsidian" },
});
