import { Rotation } from '@mainstay/contract/protection/schedules'
import { useDebounced } from '../../../lib/use-debounced'
import { SpaceEstimate } from '../estimate/SpaceEstimate'
import { useScheduleValues } from '../schedule/use-schedule-values'

export interface FormEstimateProps {
  volumeIds: readonly string[]
  projectId: string | undefined
}

/** The estimate for the number of recovery points in the surrounding form. */
export function FormEstimate({ volumeIds, projectId }: FormEstimateProps) {
  const { rotation } = useScheduleValues()
  const settled = useDebounced(rotation)
  return (
    <SpaceEstimate
      volumeIds={volumeIds}
      rotation={Rotation.safeParse(settled).success ? settled : undefined}
      projectId={projectId}
    />
  )
}
