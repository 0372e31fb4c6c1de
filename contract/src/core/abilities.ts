import type { Ability } from './endpoint'

/*
 * How methods of GET /api/v2/meta become abilities. Apart from the permission table, because the console needs this on
 * its first page and the table never.
 */
export const methodsOf: Readonly<Record<Ability, readonly string[]>> = {
  read: ['GET'],
  create: ['POST'],
  update: ['PUT', 'PATCH'],
  delete: ['DELETE'],
}

/** Whether the methods listed for a resource allow an ability; delete plus update gives change. */
export function methodsAllow(methods: readonly string[] | undefined, ability: Ability | 'change'): boolean {
  if (!methods) return false
  if (ability === 'change') return methodsAllow(methods, 'delete') && methodsAllow(methods, 'update')
  return methodsOf[ability].some((method) => methods.includes(method))
}
