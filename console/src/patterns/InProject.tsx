import type { ReactNode } from 'react'
import { useIsAllTenants } from '../session/session'
import { ChooseProject } from './ChooseProject'

/**
 * Around a page on which something of a project is made: whoever is in none, as operators are who see all of them, is asked
 * for one first. `closeTo`: where they are who choose none.
 */
export function InProject({ closeTo, children }: { closeTo: string; children: ReactNode }) {
  const isOutside = useIsAllTenants()
  return isOutside ? <ChooseProject closeTo={closeTo} /> : children
}
