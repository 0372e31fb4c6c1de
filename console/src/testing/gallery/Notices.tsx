import { Toast } from '../../ui/feedback/Toast'
import { minutesAgo } from './samples'
import { Section } from './section'

export function Notices() {
  return (
    <Section title="Notices">
      <Toast kind="success" title="Instance “web-1” created" when={minutesAgo(0)} onClose={() => {}} isFloating />
      <Toast
        kind="progress"
        title="Uploading “debian-12.qcow2”"
        share={0.42}
        isFloating
        actions={<a href="#abort">Abort</a>}
      />
      <Toast
        kind="error"
        title="Cannot create “web-3”"
        count={3}
        message="The project may use 20 vCPUs; 18 are used and the flavor medium needs 4. Choose a smaller flavor, delete an instance, or ask the administrator for a larger quota. This line is long enough to be cut."
        when={minutesAgo(6)}
        actions={<a href="#more">More</a>}
        onClose={() => {}}
        isFloating
      />
      <Toast kind="warning" title="Your session ends in 60 s" isFloating />
      <Toast kind="info" title="Node n3 is back" when={minutesAgo(90)} onClose={() => {}} />
    </Section>
  )
}
