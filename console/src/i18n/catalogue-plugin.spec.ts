import { expect, test } from 'vitest'
import { compileCatalogue } from './catalogue-plugin'

test('an invalid message fails the build with its file and key', () => {
  expect(() => compileCatalogue('{"a.b":"{n, plural, one {x}}"}', 'de/compute.json')).toThrow(
    /de\/compute\.json: "a\.b"/,
  )
  expect(() => compileCatalogue('{"a":"{open"}', 'de/compute.json')).toThrow(/"a"/)
})

test('rejects nested catalogues', () => {
  expect(() => compileCatalogue('{"a":{"b":"c"}}', 'en/common.json')).toThrow('flat')
})
