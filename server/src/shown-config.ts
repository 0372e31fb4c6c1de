import type { Config } from './config'

const HIDDEN = '********'
const secretName = /pass|secret|token|key/i

/** The secrets in an address: its password, and values of parameters with such names; as written, and as meant. */
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

/** An address for people to look at. */
function shownAddress(address: string): string {
  if (!URL.canParse(address)) return HIDDEN
  const url = new URL(address)
  if (url.password !== '') url.password = HIDDEN
  for (const name of [...url.searchParams.keys()]) if (secretName.test(name)) url.searchParams.set(name, HIDDEN)
  return url.href
}

/** Every secret of the configuration, but those of the cloud, which its engine knows. */
export const secretsOf = (config: Config): string[] => [
  ...[config.adminPassword, config.metricsToken, config.sealingKey, config.rgw?.secretKey ?? null].filter(
    (text) => text !== null,
  ),
  ...[config.databaseUrl, config.metricsUrl].flatMap((it) => (it === null ? [] : secretsInAddress(it))),
  ...Object.entries(config.cloud?.variables ?? {}).flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
]

/**
 * The configuration for people to look at, without what must stay secret. `cloud`: what the engine says of its
 * settings, in place of where they are; `areas`: who serves each of them in the end.
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

/** The same as text. */
export const printableConfig = (...given: Parameters<typeof shownConfig>): string =>
  JSON.stringify(shownConfig(...given), null, 2)
