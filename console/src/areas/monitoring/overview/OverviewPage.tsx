import { useIsAllTenants } from '../../../session/session'
import { OperatorOverview } from './OperatorOverview'
import { ProjectOverview } from './ProjectOverview'

/** The landing page: the overview of the current project, or of all projects for operators. */
export default function OverviewPage() {
  return useIsAllTenants() ? <OperatorOverview /> : <ProjectOverview />
}
