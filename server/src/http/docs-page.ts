import type { Json, OpenApiCall, OpenApiDocument } from '@mainstay/contract/core/openapi'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (found) => escapes[found]!)

const typeText = (schema: Json): string => {
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined
  if (Array.isArray(schema['enum'])) return schema['enum'].map((it) => JSON.stringify(it)).join(' | ')
  if (choices) return choices.map(typeText).join(' | ')
  return `${(schema['type'] as string | undefined) ?? 'any'}${schema['default'] === undefined ? '' : ` = ${JSON.stringify(schema['default'])}`}`
}

function parameters(call: OpenApiCall): string {
  if (call.parameters.length === 0) return ''
  const rows = call.parameters.map(
    (it) =>
      `<tr><td><code>${escape(it.name)}</code>${it.required ? ' *' : ''}</td><td>${it.in}</td>` +
      `<td><code>${escape(typeText(it.schema))}</code></td><td>${escape(String((it as { description?: string }).description ?? ''))}</td></tr>`,
  )
  return `<table><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

const schemaOf = (holder: Json | undefined): Json | undefined => {
  const content = holder?.['content'] as Record<string, { schema: Json }> | undefined
  return content ? Object.values(content)[0]?.schema : undefined
}
const schemaBlock = (title: string, schema: Json | undefined): string =>
  schema ? `<h4>${title}</h4><pre tabindex="0">${escape(JSON.stringify(schema, null, 2))}</pre>` : ''

function callBlock(path: string, verb: string, call: OpenApiCall): string {
  const [status, good] = Object.entries(call.responses)[0]!
  return (
    `<details id="${escape(call.operationId)}"><summary><span class="verb ${verb}">${verb.toUpperCase()}</span> ` +
    `<code>${escape(path)}</code> <span class="what">${escape(call.summary)}</span></summary>` +
    `<p>${escape(call.description).replace(/`([^`]+)`/g, '<code>$1</code>')} Returns ${status}.</p>${parameters(call)}` +
    `${schemaBlock('Request body', schemaOf(call['requestBody'] as Json | undefined))}` +
    `${schemaBlock('Response', schemaOf(good))}</details>`
  )
}

/** Renders the document as plain HTML without scripts. `{{mounted}}` is a placeholder for the URL prefix. */
export function docsPage(document: OpenApiDocument): string {
  const area = (name: string): string => {
    const calls = Object.entries(document.paths).flatMap(([path, byVerb]) =>
      Object.entries(byVerb)
        .filter(([, call]) => call.tags.includes(name))
        .map(([verb, call]) => callBlock(path, verb, call)),
    )
    return `<section id="${escape(name)}"><h2>${escape(name)}</h2>${calls.join('')}</section>`
  }
  const links = document.tags.map(({ name }) => `<a href="#${escape(name)}">${escape(name)}</a>`)
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${escape(document.info.title)} API</title><link rel="stylesheet" href="{{mounted}}/api/v2/docs/style.css">` +
    `</head><body><header><h1>${escape(document.info.title)} API ${escape(document.info.version)}</h1>` +
    '<p>Authenticate with a token in the header <code>X-Auth-Token</code>, or with the cookie <code>session</code>. ' +
    `Also available as <a href="{{mounted}}/api/v2/openapi.json">OpenAPI 3.1</a>.</p><nav>${links.join(' ')}</nav></header>` +
    `<main>${document.tags.map(({ name }) => area(name)).join('')}</main></body></html>`
  )
}

export const docsStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 0 auto; padding: 1.5rem; }
nav a { margin-inline-end: 0.75rem; }
summary { cursor: pointer; padding: 0.4rem 0; }
details { border-block-end: 1px solid color-mix(in srgb, currentcolor 20%, transparent); }
.verb { display: inline-block; min-width: 4.5rem; font-weight: 600; }
.what { margin-inline-start: 0.75rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { max-height: 24rem; overflow: auto; padding: 0.75rem; border: 1px solid color-mix(in srgb, currentcolor 20%, transparent); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; padding: 0.25rem 0.75rem 0.25rem 0; vertical-align: top; }
`
