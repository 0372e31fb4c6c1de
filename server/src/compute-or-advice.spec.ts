import { expect, test } from 'vitest'
import { computeOrAdvice } from './compute-or-advice'

test('where there is no compute cluster every command says what to do, and its parts can be awaited', async () => {
  const { compute, computeMissing } = computeOrAdvice({ missing: 'qemu', advice: 'Install QEMU' } as never)
  expect(computeMissing).toMatchObject({ advice: 'Install QEMU' })
  const instances = await Promise.resolve(compute.instances)
  await expect(instances.start({} as never, 'one')).rejects.toMatchObject({ code: 'not_configured' })
  expect(String(Object.prototype.toString.call(instances))).toBe('[object Object]')
})
