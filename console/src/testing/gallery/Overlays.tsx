import { useState } from 'react'
import { Button } from '../../ui/Button'
import { Checkbox } from '../../ui/fields/Checkbox'
import { CodeBlock } from '../../ui/values/CodeBlock'
import { CopyableCode } from '../../ui/values/CopyableCode'
import { CopyButton } from '../../ui/values/CopyButton'
import { Dialog } from '../../ui/overlays/Dialog'
import { Drawer } from '../../ui/overlays/Drawer'
import { Menu } from '../../ui/overlays/Menu'
import { Meter } from '../../ui/feedback/Meter'
import { Mono } from '../../ui/values/Mono'
import { NumberField } from '../../ui/fields/NumberField'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { Tabs } from '../../ui/Tabs'
import { TextField } from '../../ui/fields/TextField'
import { Time } from '../../ui/values/Time'
import css from './Gallery.module.css'
import { publicKey, rowActions } from './samples'
import { Section, Row } from './section'

export function Overlays() {
  const [open, setOpen] = useState<'dialog' | 'drawer' | 'form' | null>(null)
  const [tab, setTab] = useState('overview')
  const close = () => setOpen(null)
  return (
    <Section title="Overlays and details">
      <Row>
        <Button onPress={() => setOpen('dialog')}>Open dialog</Button>
        <Button onPress={() => setOpen('drawer')}>Open details</Button>
        <Button onPress={() => setOpen('form')}>Open form</Button>
      </Row>
      <Tabs
        label="Instance"
        selected={tab}
        onChange={setTab}
        items={[
          { id: 'overview', label: 'Overview' },
          { id: 'volumes', label: 'Volumes', count: 2 },
          { id: 'network', label: 'Network' },
          { id: 'log', label: 'Console log' },
        ]}
      >
        <dl className={css.facts}>
          <dt>Id</dt>
          <dd>
            <CopyableCode>7c9e6679-7425-40de-944b-e07fc1f90ae7</CopyableCode>
          </dd>
          <dt>Address</dt>
          <dd>
            <Mono>10.0.0.12</Mono>, <Mono>fd00::12</Mono>
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at="2026-11-20T09:12:00Z" show="both" />
          </dd>
        </dl>
      </Tabs>
      <CodeBlock label="Public key">{publicKey}</CodeBlock>
      <Row>
        <CopyButton value={publicKey}>Copy details</CopyButton>
      </Row>
      <Dialog
        title="Delete 3 volumes?"
        isOpen={open === 'dialog'}
        onClose={close}
        role="alertdialog"
        isFirm
        hasNoCross
        footer={
          <>
            <Button onPress={close}>Cancel</Button>
            <Button variant="danger" onPress={close}>
              Delete 3 volumes
            </Button>
          </>
        }
      >
        <p>Their data is lost. This cannot be undone.</p>
        <br />
        <Checkbox>Delete their 5 snapshots too</Checkbox>
      </Dialog>
      <Drawer
        title="web-1"
        subtitle={<StatusBadge tone="ok">Active</StatusBadge>}
        isOpen={open === 'drawer'}
        onClose={close}
        actions={<Menu label="Actions for web-1" items={rowActions} />}
      >
        <Tabs
          label="web-1"
          selected="overview"
          items={[
            { id: 'overview', label: 'Overview' },
            { id: 'volumes', label: 'Volumes', count: 2 },
          ]}
        >
          Details
        </Tabs>
      </Drawer>
      <Drawer
        title="Create volume"
        isOpen={open === 'form'}
        onClose={close}
        isModal
        footer={
          <>
            <Button onPress={close}>Cancel</Button>
            <Button variant="primary" onPress={close}>
              Create volume
            </Button>
          </>
        }
      >
        <div className={css.form}>
          <TextField label="Name" />
          <NumberField label="Size" unit="GiB" value={32} />
          <Meter label="Storage" used={412} added={32} limit={512} format={(value) => `${value} GiB`} />
        </div>
      </Drawer>
    </Section>
  )
}
