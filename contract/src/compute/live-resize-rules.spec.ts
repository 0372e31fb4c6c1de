import { expect, test } from 'vitest'
import { fitsLive, liveResizeLimit, liveResizeLimits } from './live-resize-rules'

const flavor = { id: 's1.small', original_name: 's1.small', vcpus: 2, ram: 2048, extra_specs: {} }
const roomy = { flavor, max_vcpu: 8, max_mem: 8192 }

test('a running instance can be resized up to its headroom, and never below its current size', () => {
  expect(fitsLive(roomy, { vcpus: 2, ram: 2048 })).toBe(true)
  expect(fitsLive(roomy, { vcpus: 8, ram: 8192 })).toBe(true)
  for (const size of [
    { vcpus: 9, ram: 2048 },
    { vcpus: 2, ram: 8193 },
    { vcpus: 1, ram: 8192 },
    { vcpus: 8, ram: 2047 },
  ]) {
    expect(fitsLive(roomy, size)).toBe(false)
  }
})

test('an instance started without headroom can only keep its size', () => {
  const fixed = { flavor, max_vcpu: null, max_mem: null }
  expect(liveResizeLimits(fixed)).toEqual({ min_vcpu: 2, max_vcpu: 2, min_mem: 2048, max_mem: 2048 })
  expect(fitsLive(fixed, { vcpus: 2, ram: 2048 })).toBe(true)
  expect(fitsLive(fixed, { vcpus: 3, ram: 2048 })).toBe(false)
})

test('the error reports the limits and the field', () => {
  expect(liveResizeLimit(roomy)).toMatchObject({
    code: 'live_resize_limit',
    status: 409,
    data: { min_vcpu: 2, max_vcpu: 8, min_mem: 2048, max_mem: 8192 },
    fields: { flavor: [expect.stringContaining('restart')] },
  })
})
