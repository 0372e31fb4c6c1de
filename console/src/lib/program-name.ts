// the first that fits: browsers claim to be those before them
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
 * What a program calls itself (the header User-Agent), as people would: browser and system where both are known, else
 * its first word. Null where it says nothing.
 */
export function programName(userAgent: string): { browser: string; system: string | undefined } | null {
  const browser = firstOf(browsers, userAgent) ?? userAgent.trim().split(/\s/, 1)[0]?.slice(0, 60)
  return browser ? { browser, system: firstOf(systems, userAgent) } : null
}
