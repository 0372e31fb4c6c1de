import { expect, it } from 'vitest'
import { readConfig } from './config'
import { unknownVariables } from './unknown-variables'

it('names an unknown variable and suggests the closest setting', () => {
  expect(unknownVariables({ MAINSTAY_PROT: '1', PATH: '/bin', MAINSTAY_PORT: '8800' })).toEqual([
    'MAINSTAY_PROT is not a setting and is ignored. Did you mean MAINSTAY_PORT?',
  ])
  expect(unknownVariables({ MAINSTAY_COLOUR_OF_BUTTONS: 'red' })).toEqual([
    'MAINSTAY_COLOUR_OF_BUTTONS is not a setting and is ignored. See docs/settings.md for all settings.',
  ])
})

it('accepts the variables that the command-line client and the tests use', () => {
  expect(unknownVariables({ MAINSTAY_URL: 'http://x', MAINSTAY_TOKEN: 't', MAINSTAY_TEST_TIER: 'all' })).toEqual([])
})

it('names the current name of a renamed setting, whose old name still works', () => {
  expect(unknownVariables({ MAINSTAY_TRY_OUT_GUEST: 'none' })).toEqual([
    'MAINSTAY_TRY_OUT_GUEST was renamed to MAINSTAY_SAMPLE_IMAGE. The old name still works.',
  ])
  expect(readConfig({ MAINSTAY_TRY_OUT_GUEST: 'none' }).sampleImage).toBe('none')
  const both = { MAINSTAY_TRY_OUT_GUEST: 'none', MAINSTAY_SAMPLE_IMAGE: '/srv/small.qcow2' }
  expect(readConfig(both).sampleImage).toBe('/srv/small.qcow2')
})
