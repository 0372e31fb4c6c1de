import path from 'node:path'

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/
const pascal = /^[A-Z][A-Za-z0-9]*$/
const saysNothing = /^(utils?|helpers?|managers?)$/

/** Returns a sentence that says what is wrong with a file's name, or null if it is valid. */
export function nameFault(file: string, readSource: () => string, exists: (file: string) => boolean): string | null {
  const { dir, base, name, ext } = path.posix.parse(file)
  const words = file.replace(/\.[^/]*$/, '').split(/[/-]/)
  const vague = words.find((word) => saysNothing.test(word))
  if (vague) return `${file}: "${vague}" says nothing; name what is in it`
  if (/^index\.(ts|tsx|mjs|js)$/.test(base)) return `${file}: no barrel files; import what is meant by its own name`

  const [stem = '', ...marks] = name.split('.')
  if (!pascal.test(stem))
    return kebab.test(name) ? null : `${file}: names are kebab-case, or PascalCase for a component`
  if (!marks.every((mark) => kebab.test(mark))) return `${file}: what follows the component's name is kebab-case`
  if (marks.includes('spec')) return null
  const component = path.posix.join(dir, `${stem}.tsx`)
  if (ext !== '.tsx')
    return exists(component) ? null : `${file}: PascalCase is for a component, and ${stem}.tsx is none`
  const exported = new RegExp(
    `export (default )?(async )?(function|const|class) ${stem}\\b|export \\{[^}]*\\b${stem}\\b`,
  )
  return exported.test(readSource()) ? null : `${file}: exports no component ${stem}`
}
