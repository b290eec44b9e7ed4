// The API's description drawn from its OpenAPI document, without a foreign program and without internet.

import { byId, h } from "./dom.js";
import { begin } from "./page.js";

begin("api");

const document_ = await (await fetch("/api/openapi.json")).json();

function schemaOf(part) {
  const schema = part?.content?.["application/json"]?.schema;
  return schema?.$ref ? document_.components.schemas[schema.$ref.split("/").at(-1)] : schema;
}

function typeOf({ type, anyOf, enum: values, $ref }) {
  if (values) return values.join(" | ");
  if ($ref) return typeOf(document_.components.schemas[$ref.split("/").at(-1)]);
  return anyOf ? anyOf.map(typeOf).join(" | ") : type ?? "any";
}

function fields(operation) {
  const parameters = (operation.parameters ?? []).map((p) => [p.name, `${typeOf(p.schema)} (${p.in}) ${p.description ?? ""}`]);
  const body = Object.entries(schemaOf(operation.requestBody)?.properties ?? {}).map(([name, field]) => [name, `${typeOf(field)} ${field.description ?? ""}`]);
  return [...parameters, ...body];
}

for (const [path, methods] of Object.entries(document_.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const rows = fields(operation).flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);
    byId("api").append(h("section", {},
      h("h2", {}, h("span", { className: "method" }, method.toUpperCase()), h("code", {}, path)),
      h("p", {}, operation.description ?? operation.summary), rows.length ? h("dl", {}, ...rows) : null));
  }
}
