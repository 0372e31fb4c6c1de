import { useIsAllTenants } from '../../../session/session'
import { OperatorOverview } from './OperatorOverview'
import { ProjectOverview } from './ProjectOverview'

/** Where people land: how it is, and what needs them. Of one project, or of all for who operates them. */
export default function OverviewPage() {
  return useIsAllTenants() ? <OperatorOverview /> : <ProjectOverview />
}
