import { expect, it } from 'vitest'
import { focusFirstError } from './server-errors'

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

it('focuses the first invalid field even if it is rendered as invalid some frames later', async () => {
  const form = document.createElement('form')
  form.innerHTML = '<input name="right"><input name="wrong"><input name="also">'
  document.body.append(form)
  const [, wrong, also] = form.querySelectorAll('input')
  focusFirstError({ current: form })
  for (let frame = 0; frame < 3; frame++) await nextFrame()
  expect(document.activeElement).toBe(document.body)
  for (const field of [wrong!, also!]) field.setAttribute('aria-invalid', 'true')
  await nextFrame()
  await nextFrame()
  expect(document.activeElement).toBe(wrong)
})
