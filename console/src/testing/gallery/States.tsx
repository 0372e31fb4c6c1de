import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { AddIcon, InstanceIcon } from '../../ui/icons'
import { Meter } from '../../ui/feedback/Meter'
import { ProgressBar } from '../../ui/feedback/ProgressBar'
import { SkeletonRows } from '../../ui/feedback/Skeleton'
import { Section } from './section'

export function States() {
  return (
    <Section title="States">
      <SkeletonRows rows={3} columns={4} />
      <EmptyState
        icon={InstanceIcon}
        action={
          <Button variant="primary" icon={AddIcon}>
            Create instance
          </Button>
        }
      >
        No instances in this project yet.
      </EmptyState>
      <ErrorPanel
        title="The instances could not be loaded."
        why="The inventory did not answer within 10 seconds."
        next="Retry now, or ask the administrator and give the request id."
        id="req-7c9e6679-7425"
        onRetry={() => {}}
      />
      <ProgressBar label="Uploading debian-12.qcow2" share={0.42} detail="173 of 412 MiB" />
      <ProgressBar label="Preparing" share={null} />
      <Meter label="vCPUs" used={12} limit={20} />
      <Meter label="Memory" used={60} added={16} limit={64} format={(value) => `${value} GiB`} />
      <Meter label="Floating IPs" used={3} limit={null} />
    </Section>
  )
}
