import { Badge } from '../../ui/values/Badge'
import { Banner } from '../../ui/feedback/Banner'
import { Button } from '../../ui/Button'
import { Chip } from '../../ui/values/Chip'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { TagList } from '../../ui/values/TagList'
import { Time } from '../../ui/values/Time'
import { minutesAgo } from './samples'
import { Section, Row } from './section'

export function Status() {
  return (
    <Section title="Status">
      <Row>
        <StatusBadge tone="ok">Active</StatusBadge>
        <StatusBadge tone="busy" detail="resizing">
          Building
        </StatusBadge>
        <StatusBadge tone="warn">Degraded</StatusBadge>
        <StatusBadge tone="bad">Error</StatusBadge>
        <StatusBadge tone="idle">Stopped</StatusBadge>
      </Row>
      <Row>
        <Badge>default</Badge>
        <Badge>12</Badge>
        <Badge tone="ok">healthy</Badge>
        <Badge tone="busy">in use</Badge>
        <Badge tone="warn">beta</Badge>
        <Badge tone="bad">expired</Badge>
      </Row>
      <Row>
        <Chip name="status" onPress={() => {}} onRemove={() => {}}>
          error
        </Chip>
        <Chip name="name" onRemove={() => {}}>
          web
        </Chip>
        <Chip>public</Chip>
        <TagList label="Tags" tags={['production', 'eu-west', 'team:web']} onRemove={() => {}} />
      </Row>
      <Banner tone="busy" action={<Button size="small">Reload</Button>}>
        A new version is installed.
      </Banner>
      <Banner tone="warn" title="Node n3 is in maintenance." onClose={() => {}}>
        Its 14 instances run on other nodes.
      </Banner>
      <Banner tone="bad" title="Offline.">
        What is shown is from <Time at={minutesAgo(4)} />.
      </Banner>
      <Banner tone="ok">The certificate is valid until 2027.</Banner>
    </Section>
  )
}
