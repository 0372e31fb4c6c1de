import { expect, test } from 'vitest'
import { shortenMiddle, shortId } from './ids'

test('shortens a long ID to eight characters and keeps a short one', () => {
  expect(shortId('7c9e6679-7425-40de-944b-e07fc1f90ae7')).toBe('7c9e6679…')
  expect(shortId('default')).toBe('default')
})

test('keeps the end of a long name', () => {
  expect(shortenMiddle('debian-12-generic-amd64.qcow2', 16)).toHaveLength(16)
  expect(shortenMiddle('debian-12-generic-amd64.qcow2', 16)).toMatch(/^debian.*\.qcow2$/)
  expect(shortenMiddle('short', 16)).toBe('short')
})
