import { beforeAll, expect, it } from 'vitest'
import { loadTexts } from '../../../i18n/use-t'
import { newRecord, shownAs, waitingUpload, type FileUpload } from './file-upload'
import { bytesOfAll, createSpeedometer } from './speed'

beforeAll(() => loadTexts('objectStorage'))

function upload(name: string, change: Partial<FileUpload> = {}): FileUpload {
  const file = new File(['0123456789'], name)
  const record = newRecord('media', name, file, null)
  return { ...waitingUpload('media', name, { file, record, ifExists: 'replace' }), id: name, ...change }
}
const going = (name: string, goneBytes: number) => upload(name, { ...shownAs('PROGRESS'), goneBytes })

it('counts the stored bytes of all files except cancelled ones', () => {
  const uploads = [
    upload('a', { ...shownAs('UPLOADED'), progress: 100 }),
    upload('b', { ...shownAs('PROGRESS'), progress: 50, goneBytes: 9 }),
    upload('c'),
    upload('d', shownAs('CANCELED')),
  ]
  expect(bytesOfAll(uploads)).toEqual({ total: 30, done: 15 })
})

it('measures the speed over the last five seconds across files', () => {
  const meter = createSpeedometer()
  expect(meter.perSecond([going('a', 0), upload('b')], 0)).toBe(0)
  expect(meter.perSecond([going('a', 4), upload('b')], 1000)).toBe(4)
  const second = [upload('a', shownAs('UPLOADED')), going('b', 2)]
  expect(meter.perSecond(second, 2000)).toBe(3)
  // no progress since then: old samples are dropped
  expect(meter.perSecond(second, 8000)).toBe(0)
})

it('ignores bytes stored before a resume, and bytes that are resent', () => {
  const meter = createSpeedometer()
  const part = { number: 2, of: 3 }
  const at = (goneBytes: number) => [{ ...going('a', goneBytes), part }]
  meter.perSecond(at(6), 0)
  expect(meter.perSecond(at(8), 1000)).toBe(2)
  expect(meter.perSecond(at(6), 2000)).toBe(1)
})
