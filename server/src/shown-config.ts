import type { Config } from './config'

const HIDDEN = '********'
const secretName = /pass|secret|token|key/i

/** Secrets in a URL: its password, encoded and decoded, and the values of parameters with secret names. */
function secretsInAddress(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { password, searchParams } = new URL(address)
  const named = [...searchParams].filter(([name]) => secretName.test(name)).map(([, value]) => value)
  return [password, safelyDecoded(password), ...named].filter((text) => text !== '')
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A URL with its secrets hidden. */
function shownAddress(address: string): string {
  if (!URL.canParse(address)) return HIDDEN
  const url = new URL(address)
  if (url.password !== '') url.password = HIDDEN
  for (const name of [...url.searchParams.keys()]) if (secretName.test(name)) url.searchParams.set(name, HIDDEN)
  return url.href
}

/** All secrets in the configuration. Only the engine knows the secrets in a clouds file. */
export const secretsOf = (config: Config): string[] => [
  ...[config.adminPassword, config.metricsToken, config.sealingKey, config.rgw?.secretKey ?? null].filter(
    (text) => text !== null,
  ),
  ...[config.databaseUrl, config.metricsUrl].flatMap((it) => (it === null ? [] : secretsInAddress(it))),
  ...Object.entries(config.cloud?.variables ?? {}).flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
]

/**
 * The configuration for display, without secrets. `cloud`: settings reported by the engine. `areas`: the engine that
 * actually serves each area.
 */
export const shownConfig = (
  config: Config,
  cloud: object | null = null,
  areas: Readonly<Record<string, string | null>> = config.areas,
): Record<string, unknown> => ({
  ...config,
  adminPassword: config.adminPassword === null ? null : HIDDEN,
  metricsToken: config.metricsToken === null ? null : HIDDEN,
  sealingKey: config.sealingKey === null ? null : HIDDEN,
  databaseUrl: config.databaseUrl === null ? null : shownAddress(config.databaseUrl),
  metricsUrl:
    config.metricsUrl === null || config.metricsUrl === 'off' ? config.metricsUrl : shownAddress(config.metricsUrl),
  rgw: config.rgw && { ...config.rgw, secretKey: HIDDEN },
  cloud,
  areas,
})

/** The configuration for display, as formatted JSON. */
export const printableConfig = (...given: Parameters<typeof shownConfig>): string =>
  JSON.stringify(shownConfig(...given), null, 2)
