import { expect, it } from 'vitest'
import { planQuestion, pointQuestion } from './point-question'

it('passes on the filters and the search that the calls for days understand', () => {
  const filters = { status: 'in:error', taken_at: 'gte:2026-11-20', stored_size: 'gte:1', volume_name: 'data' }
  expect(pointQuestion({ filters, search: 'shop' })).toEqual({
    ...{ status: 'in:error', volume_name: 'data', search: 'shop' },
  })
  expect(pointQuestion({ filters: {}, search: '' })).toEqual({})
})

it('chooses backup plans by the filters that apply to plans, and none if another filter is set', () => {
  expect(planQuestion({})).toEqual({})
  expect(planQuestion({ backup_plan_name: 'exact:nightly', project_id: 'in:p' })).toEqual({
    ...{ name: 'exact:nightly', project_id: 'in:p' },
  })
  for (const other of [{ search: 'nightly' }, { status: 'in:error' }, { volume_name: 'data' }])
    expect(planQuestion({ backup_plan_name: 'exact:nightly', ...other })).toBeNull()
})
