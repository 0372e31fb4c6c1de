import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { renderToStaticMarkup } from 'react-dom/server'
import { Lock, Server, type LucideIcon } from 'lucide-react'
import { expect, test } from 'vitest'
import { iconPlugin } from './icon-plugin'

const { resolveId, transform } = iconPlugin() as unknown as {
  resolveId: (source: string, importer: string) => string
  transform: { handler: (code: string) => { code: string } }
}
const fileOf = (name: string) => createRequire(import.meta.url).resolve(`lucide-react/icons/${name}`)

/** The icon as the build generates it. */
async function built(name: string) {
  const file = fileOf(name)
  const { __iconData } = (await import(file)) as { __iconData: unknown }
  const { default: create } = (await import(resolveId('../createLucideIcon.mjs', file))) as {
    default: (data: unknown) => LucideIcon
  }
  return create(__iconData)
}

/** Sorts the attributes, because their order is irrelevant. */
function drawn(markup: string) {
  const holder = document.createElement('div')
  holder.innerHTML = markup
  return [...holder.querySelectorAll('*')].map(({ tagName, attributes }) => [
    tagName,
    ...[...attributes].map(({ name, value }) => `${name}=${value}`).toSorted(),
  ])
}

test.each([
  ['without attributes', {}],
  ['with a size', { size: 12, className: 'small' }],
  ['with a label', { 'aria-label': 'Locked' }],
])('renders a built icon %s exactly like lucide', async (_said, props) => {
  for (const [Theirs, name] of [
    [Server, 'server'],
    [Lock, 'lock'],
  ] as const) {
    const Ours = await built(name)
    expect(drawn(renderToStaticMarkup(<Ours {...props} />))).toEqual(drawn(renderToStaticMarkup(<Theirs {...props} />)))
  }
})

test('removes the React keys from the shapes', () => {
  const { code } = transform.handler(readFileSync(fileOf('server'), 'utf8'))
  expect(code).not.toContain('key:')
  expect(code).toContain('ry: "2" }]')
})
