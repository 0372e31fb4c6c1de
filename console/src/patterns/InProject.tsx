import type { ReactNode } from 'react'
import { useIsAllTenants } from '../session/session'
import { ChooseProject } from './ChooseProject'

/**
 * Wraps a page that creates an object in a project: operators, who see all projects but are in none, choose one first.
 * `closeTo` is where they go if they cancel.
 */
export function InProject({ closeTo, children }: { closeTo: string; children: ReactNode }) {
  const isOutside = useIsAllTenants()
  return isOutside ? <ChooseProject closeTo={closeTo} /> : children
}
