import { Problem, problem } from '@mainstay/contract/core/problems'

/**
 * Deletes objects one by one, and continues if one cannot be deleted. Throws a `not_all_deleted` error with the
 * remaining objects and the reasons; for a single object, throws the original error.
 */
export async function deleteEach(ids: readonly string[], remove: (id: string) => unknown): Promise<void> {
  const failed: { id: string; err_code: string; message: string }[] = []
  const wanted = [...new Set(ids)]
  for (const id of wanted) {
    try {
      await remove(id)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500 || wanted.length === 1) throw error
      failed.push({ id, err_code: error.code, message: error.message })
    }
  }
  if (failed.length === 0) return
  const deleted = wanted.filter((id) => !failed.some((it) => it.id === id))
  throw problem(
    'core.not_all_deleted',
    { failed: failed.length, count: wanted.length, reason: failed[0]!.message },
    { data: { deleted, failed } },
  )
}
