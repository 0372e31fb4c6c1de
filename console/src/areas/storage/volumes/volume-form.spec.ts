import { englishText } from '@mainstay/contract/core/english'
import { beforeAll, expect, it, test } from 'vitest'
import { GiB, TiB } from '@mainstay/contract/core/bytes'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { VolumeDraft, type Volume } from '@mainstay/contract/storage/volumes'
import { loadTexts, textsNow, type Translate } from '../../../i18n/use-t'
import { typedGib } from './typed-gib'
import {
  changeOf,
  volumeDraftOf,
  emptyVolumeForm,
  extendForm,
  leastSizeOf,
  leastSizeOfSnapshot,
  volumeForm,
  type VolumeForm,
} from './volume-form'

let t: Translate<'storage'>
beforeAll(async () => {
  await loadTexts('storage')
  t = textsNow('storage')
})

const filled = (part: Partial<VolumeForm> = {}): VolumeForm => ({ ...emptyVolumeForm(), name: 'data', ...part })
const faults = (form: unknown) =>
  Object.fromEntries(
    volumeForm(t)
      .safeParse(form)
      .error?.issues.map((it) => [it.path.join('.'), englishText(it.message)]) ?? [],
  )

it('accepts a 1 GiB volume once it has a name', () => {
  expect(faults(filled())).toEqual({})
  expect(VolumeDraft.parse(volumeDraftOf(filled()))).toEqual({
    name: 'data',
    description: '',
    size: GiB,
    image_id: null,
    bootable: false,
  })
})

test.each([
  [0, 'Use at least 1 GiB'],
  [1, undefined],
  [512 * 1024, undefined],
  [512 * 1024 + 1, 'Use at most 512 TiB'],
])('validates a size of %s GiB: %s', (gib, fault) => {
  expect(faults(filled({ size: gib * GiB }))['size']).toBe(fault)
})

it('requires a size, and reports all other errors along with it', () => {
  expect(faults({ ...filled(), size: null, name: '', source: 'image' })).toMatchObject({
    size: 'Enter a size',
    image_id: 'Choose an image',
  })
  expect(faults({ ...filled(), name: '' })).toHaveProperty('name')
})

it('requires at least the image size, rounded up to a whole GiB', () => {
  expect(leastSizeOf(null)).toBe(GiB)
  expect(leastSizeOf({ min_disk: 4, virtual_size: 2 * GiB })).toBe(4 * GiB)
  expect(leastSizeOf({ min_disk: 0, virtual_size: 2 * GiB + 1 })).toBe(3 * GiB)
  const form = filled({ source: 'image', image_id: 'one', image_least: 4 * GiB })
  expect(faults({ ...form, size: 3 * GiB })).toEqual({ size: 'At least 4\u00a0GiB, the minimum for this image.' })
  expect(faults({ ...form, size: 4 * GiB })).toEqual({})
})

it('requires a snapshot as the source, and at least its size', () => {
  expect(faults(filled({ source: 'snapshot' }))).toEqual({ snapshot_id: 'Choose a snapshot' })
  expect(leastSizeOfSnapshot(null)).toBe(GiB)
  const snapshot = { id: 'one', name: 'before-update', size: 3 * GiB } as VolumeSnapshot
  const form = emptyVolumeForm({ snapshot })
  expect(form).toMatchObject({ source: 'snapshot', name: 'before-update', size: 3 * GiB })
  expect(faults(form)).toEqual({})
  expect(faults({ ...form, size: 2 * GiB })).toEqual({
    size: 'At least 3\u00a0GiB, the size of the volume when the snapshot was created.',
  })
  expect(VolumeDraft.parse(volumeDraftOf(form))).toMatchObject({ snapshot_id: 'one', image_id: null })
  expect(volumeDraftOf({ ...form, source: 'blank' })).not.toHaveProperty('snapshot_id')
})

it('ignores the image for a blank volume, and the bootable flag for a volume from an image', () => {
  expect(volumeDraftOf(filled({ source: 'blank', image_id: 'one', bootable: true }))).toMatchObject({
    image_id: null,
    bootable: true,
  })
  expect(volumeDraftOf(filled({ source: 'image', image_id: 'one', bootable: true }))).toMatchObject({
    image_id: 'one',
    bootable: false,
  })
})

it('extends a volume only to a larger size', () => {
  const check = (size: number) => {
    const [issue] = extendForm(t, { size: TiB }).safeParse({ size }).error?.issues ?? []
    return issue && englishText(issue.message)
  }
  expect(check(TiB)).toBe('Enter a size larger than 1\u00a0TiB')
  expect(check(TiB + GiB)).toBeUndefined()
  expect(check(513 * TiB)).toBe('Use at most 512 TiB')
})

it('sends only a volume’s changed fields', () => {
  const volume = { name: 'data', description: '', bootable: false } as Volume
  expect(changeOf(volume, { name: 'data', description: '', bootable: false })).toEqual({})
  expect(changeOf(volume, { name: 'logs', description: '', bootable: true })).toEqual({ name: 'logs', bootable: true })
})

test.each([
  ['1,024', 1024],
  ['1.024', 1024],
  ['١٬٠٢٤', 1024],
  ['۱۲', 12],
  ['', null],
])('parses %j as %s while the user is typing', (text, gib) => {
  expect(typedGib(text)).toBe(gib)
})
