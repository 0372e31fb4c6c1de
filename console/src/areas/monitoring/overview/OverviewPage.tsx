import { useIsAllTenants } from '../../../session/session'
import { OperatorOverview } from './OperatorOverview'
import { ProjectOverview } from './ProjectOverview'

/** The landing page: an overview of the current project or, for operators, of all projects. */
export default function OverviewPage() {
  return useIsAllTenants() ? <OperatorOverview /> : <ProjectOverview />
}
