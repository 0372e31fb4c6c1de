/*
 * Banned phrases and their replacements; docs/glossary.md lists the terms. The check covers the console's catalogues,
 * the contract's messages, Markdown files and comments.
 */

/** Patterns for banned phrases, with replacements. They match whole words in any case. */
const phrases: Readonly<Record<string, string>> = {
  '(log (in|out) (to|as|with|again|of)|logg(ed|ing) (in|out))': 'sign in, sign out',
  'e-mails?': 'email',
  'user names?': 'username',
  anew: 'again, re-…',
  'who(so)?ever': 'the user, the caller, anyone who',
  nobody: 'no user, no caller',
  somebody: 'a user, someone',
  everybody: 'everyone',
  'call(s|ed|ing)? off': 'cancel',
  'call(s|ed|ing)? back (a|the) (key|token|link)': 'revoke',
  '(takes?|took|taken|taking) away': 'remove',
  'ways? out': 'external gateway, uplink',
  'for good': 'permanently',
  'by (itself|themselves)': 'automatically',
  '(thereby|wherein|thereof|therein|thereupon)': 'a sentence of its own',
  'as it were': 'nothing',
  'shut off': 'shut down',
  '(kept|keeps?) back': 'reserved',
  'who may come': 'allowed source ranges',
}

/** Places where a phrase is allowed, with the reason. */
export const exceptions: readonly { file: string; text: string; because: string }[] = [
  { file: 'docs/glossary.md', text: '', because: 'its table names the words that are not used' },
  { file: 'docs/operating.md', text: 'then log out of Linux', because: 'it is about an account of Linux' },
  { file: 'CONTRIBUTING.md', text: "'nobody'", because: 'the name of a persona in tests' },
  { file: 'docs/decisions/0015-embedded-postgresql.md', text: '`nobody`', because: 'the name of an account of Linux' },
  { file: 'docs/security.md', text: '`nobody`', because: 'the name of an account of Linux' },
]

const patterns = [
  ...Object.entries(phrases).map(
    ([phrase, instead]) => [new RegExp(`(?<![\\w/'-])${phrase}(?![\\w-])`, 'gi'), instead] as const,
  ),
  // only the capitalization is wrong
  [/\b(Request|Task|User|Project) id\b/g, 'ID'] as const,
]
/** Keys in a catalogue, which are names in code. */
const keys = /^\s*"[^"]*":/
/** Code in backticks, which may contain names of other products. */
const names = /`[^`\n]*`/g

/**
 * Finds the banned phrases in a text. Returns `file:line: "phrase" (use …)` for each.
 *
 * @param text with `\n` between its lines
 */
export function bannedPhrases(file: string, text: string): string[] {
  const excepted = exceptions.filter((it) => it.file === file)
  if (excepted.some((it) => it.text === '')) return []
  return text.split('\n').flatMap((line, at) => {
    if (excepted.some((it) => line.includes(it.text))) return []
    const words = line.replace(keys, '').replaceAll(names, '``')
    return patterns.flatMap(([pattern, instead]) =>
      [...words.matchAll(pattern)].map(([found]) => `${file}:${at + 1}: "${found}" (use ${instead})`),
    )
  })
}

const tokens = /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|(\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*)/g

/** Returns only the comments of a source file, with unchanged line numbers. */
export const commentsOf = (code: string): string => {
  let comments = ''
  let from = 0
  const blank = (text: string) => text.replaceAll(/[^\n]/g, '')
  for (const match of code.matchAll(tokens)) {
    const [whole, , comment] = match
    comments += blank(code.slice(from, match.index)) + (comment ?? blank(whole))
    from = match.index + whole.length
  }
  return comments + blank(code.slice(from))
}
