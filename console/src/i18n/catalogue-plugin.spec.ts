import { expect, test } from 'vitest'
import { compileCatalogue } from './catalogue-plugin'

test('a message with a mistake stops the build and is named', () => {
  expect(() => compileCatalogue('{"a.b":"{n, plural, one {x}}"}', 'de/compute.json')).toThrow(
    /de\/compute\.json: "a\.b"/,
  )
  expect(() => compileCatalogue('{"a":"{open"}', 'de/compute.json')).toThrow(/"a"/)
})

test('catalogues are flat', () => {
  expect(() => compileCatalogue('{"a":{"b":"c"}}', 'en/common.json')).toThrow('flat')
})
