import { bodyText, type ShownRequest } from './request'
import { inQuotes } from './quote'

const filled = (path: string, params: Readonly<Record<string, string>>) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? ''
    // placeholders for missing input stay readable
    return /^<.*>$/.test(value) ? value : encodeURIComponent(value)
  })

/** Escapes characters that a shell expands between `<<END` and `END`. */
const inHereText = (text: string) => text.replaceAll(/[\\$`]/g, String.raw`\$&`)

/** A here-document with the body. With secrets, the shell expands their variables and nothing else. */
export function hereText(body: unknown, secrets: readonly string[]): string {
  return secrets.length > 0 ? `<<END\n${bodyText(body, inHereText)}\nEND` : `<<'END'\n${bodyText(body)}\nEND`
}

/** The request as a curl command, with the token from the environment. `base` is the URL of the console. */
export function curlOf({ verb, path, params, query, body, secrets }: ShownRequest, base: string): string {
  const parameters = new URLSearchParams(query).toString()
  const address = `${base}${filled(path, params)}${parameters && `?${parameters}`}`
  const lines = [
    `curl -sS ${verb === 'GET' ? '' : `-X ${verb} `}${inQuotes(address)}`,
    `  -H "X-Auth-Token: $MAINSTAY_TOKEN"`,
    ...(body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  --data-binary @- ${hereText(body, secrets)}`]),
  ]
  return lines.join(' \\\n')
}
