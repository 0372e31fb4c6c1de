import { expect, test } from 'vitest'
import { allowInlineStyles } from './written-styles'

test('applies style attributes through the CSSOM until the document is restored', () => {
  const { createElement } = document
  const forbid = allowInlineStyles()
  const element = document.createElement('span')
  element.setAttribute('style', 'color: red')
  element.setAttribute('title', 'A')
  expect([element.style.color, element.title]).toEqual(['red', 'A'])
  forbid()
  expect(document.createElement).toBe(createElement)
})
