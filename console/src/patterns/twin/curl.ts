import { bodyText, type ShownRequest } from './request'
import { inQuotes } from './quote'

const filled = (path: string, params: Readonly<Record<string, string>>) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? ''
    // what is still to choose stays readable
    return /^<.*>$/.test(value) ? value : encodeURIComponent(value)
  })

/** What a shell would take for its own between `<<END` and `END`. */
const inHereText = (text: string) => text.replaceAll(/[\\$`]/g, String.raw`\$&`)

/** A body from standard input. With secrets the shell fills in its variables, and nothing else. */
export function hereText(body: unknown, secrets: readonly string[]): string {
  return secrets.length > 0 ? `<<END\n${bodyText(body, inHereText)}\nEND` : `<<'END'\n${bodyText(body)}\nEND`
}

/** The request for curl; the token is taken from the environment. `base`: the address of the console. */
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
