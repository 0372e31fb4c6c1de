import process from 'node:process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { httpTime, isoTime, isoTimeOrUtc } from './times'

/* The specs use a time zone that differs from UTC by several hours all year. */

const { TZ } = process.env
beforeEach(() => {
  process.env['TZ'] = 'America/New_York'
})
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

const utc = Date.UTC(2027, 0, 1)

it.each([
  ['2027-01-01', utc],
  ['2027-01-01T00:00:00Z', utc],
  ['2027-01-01T00:00z', utc],
  ['2027-01-01T00:00:00.000000Z', utc],
  ['2027-01-01T05:30:00+05:30', utc],
  ['2026-12-31 19:00:00 -0500', utc],
  ['2026-12-31T19:00:00-05', utc],
  ['2027-01-01T00:00:00', null],
  ['2027-01-01 00:00', null],
  ['2027-1-1', null],
  ['1 Jan 2027', null],
  ['2027-13-01T00:00:00Z', null],
  ['', null],
])('isoTime reads %s in its own zone, or returns NaN', (text, at) => expect(isoTime(text)).toBe(at ?? Number.NaN))

it('isoTimeOrUtc reads a time without a zone as UTC', () => {
  for (const text of ['2027-01-01T00:00:00', '2027-01-01 00:00', '2027-01-01']) expect(isoTimeOrUtc(text)).toBe(utc)
  expect(isoTimeOrUtc('2027-01-01T02:00:00+02:00')).toBe(utc)
  expect(isoTimeOrUtc('Jan 1 2027')).toBe(Number.NaN)
})

it.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', true],
  ['Sunday, 06-Nov-94 08:49:37 GMT', true],
  ['Sun Nov  6 08:49:37 1994', true],
  ['Sun, 6 Nov 1994 08:49:37 +0000', true],
  ['Sun, 06 Nov 1994 08:49:37', false],
  ['06 Nov 1994 08:49:37 GMT', false],
  ['1994-11-06T08:49:37Z', false],
])('httpTime accepts only HTTP dates: %s', (text, is) =>
  expect(httpTime(text)).toBe(is ? Date.UTC(1994, 10, 6, 8, 49, 37) : Number.NaN),
)
