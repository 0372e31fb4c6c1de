// The first match wins, because browsers also include the names of the browsers listed below them.
const browsers = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

const firstOf = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * A readable name for a User-Agent header: browser and operating system if known, otherwise its first word. Null if it
 * is empty.
 */
export function programName(userAgent: string): { browser: string; system: string | undefined } | null {
  const browser = firstOf(browsers, userAgent) ?? userAgent.trim().split(/\s/, 1)[0]?.slice(0, 60)
  return browser ? { browser, system: firstOf(systems, userAgent) } : null
}
