import { useState, type ReactNode } from 'react'
import { languages, type LanguageId } from '../i18n/languages'
import { setLanguage, useLanguage } from '../i18n/language'
import { useFormat } from '../i18n/use-format'
import { schemes } from '../themes/schemes/schemes'
import { brands } from '../themes/brands/brands'
import { setBranding, setDensity, setThemeMode, useTheme } from '../themes/theme'
import { Badge } from '../ui/values/Badge'
import { Banner } from '../ui/feedback/Banner'
import { buttonClass } from '../ui/button-class'
import { Button } from '../ui/Button'
import { Amount, Bytes } from '../ui/values/Bytes'
import { Checkbox } from '../ui/fields/Checkbox'
import { Chip } from '../ui/values/Chip'
import { ChoiceMenu } from '../ui/overlays/ChoiceMenu'
import { CodeBlock } from '../ui/values/CodeBlock'
import { ComboBox } from '../ui/fields/ComboBox'
import { CopyableCode } from '../ui/values/CopyableCode'
import { CopyButton } from '../ui/values/CopyButton'
import { Dialog } from '../ui/overlays/Dialog'
import { Disclosure } from '../ui/Disclosure'
import { Drawer } from '../ui/overlays/Drawer'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import { FileDrop } from '../ui/fields/FileDrop'
import { IconButton } from '../ui/IconButton'
import {
  AddIcon,
  ColumnsIcon,
  ConsoleIcon,
  DeleteIcon,
  EditIcon,
  FilterIcon,
  ImageIcon,
  InstanceIcon,
  NotificationsIcon,
  RebootIcon,
  RefreshIcon,
  StopIcon,
  VolumeIcon,
} from '../ui/icons'
import { Kbd } from '../ui/values/Kbd'
import { Menu, type MenuAction } from '../ui/overlays/Menu'
import { Meter } from '../ui/feedback/Meter'
import { Mono, ShortId } from '../ui/values/Mono'
import { NumberField } from '../ui/fields/NumberField'
import { PasswordField } from '../ui/fields/PasswordField'
import { Popover } from '../ui/overlays/Popover'
import { ProgressBar } from '../ui/feedback/ProgressBar'
import { RadioCards } from '../ui/fields/RadioCards'
import { SearchField } from '../ui/fields/SearchField'
import { Select } from '../ui/fields/Select'
import { SkeletonRows } from '../ui/feedback/Skeleton'
import { Sparkline } from '../ui/values/Sparkline'
import { StatusBadge } from '../ui/values/StatusBadge'
import { Switch } from '../ui/fields/Switch'
import { Tabs } from '../ui/Tabs'
import { TagList } from '../ui/values/TagList'
import { TextArea } from '../ui/fields/TextArea'
import { TextField } from '../ui/fields/TextField'
import { Time } from '../ui/values/Time'
import { Toast } from '../ui/feedback/Toast'
import { Tooltip } from '../ui/overlays/Tooltip'
import css from './Gallery.module.css'

// Texts here are samples and not product texts, so they stand in no catalogue.

const GiB = 1024 ** 3
const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000
const load = Array.from({ length: 32 }, (_, index) =>
  index > 12 && index < 16 ? null : 45 + 30 * Math.sin(index / 3) + 12 * Math.cos(index * 1.7),
)
const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl deploy@build-07\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJpQ1nZ6mXk8s9w0bT6yRkqPZ8c deploy@build-08'

const flavors = [
  { id: 'tiny', label: 'tiny', description: '1 vCPU, 1 GiB memory', end: '12 free' },
  { id: 'small', label: 'small', description: '2 vCPU, 4 GiB memory', end: '6 free' },
  { id: 'medium', label: 'medium', description: '4 vCPU, 8 GiB memory', end: '2 free' },
  { id: 'huge', label: 'huge', description: '64 vCPU, 512 GiB memory', disabledBecause: 'Larger than any node' },
]

const rowActions: (MenuAction | 'line')[] = [
  { label: 'Open console', icon: ConsoleIcon, run: () => {} },
  { label: 'Stop', icon: StopIcon, run: () => {} },
  { label: 'Reboot', icon: RebootIcon, disabledBecause: 'The instance is being resized' },
  { label: 'Rename', icon: EditIcon, shortcut: 'F2', run: () => {} },
  'line',
  { label: 'Delete', icon: DeleteIcon, isDanger: true, run: () => {} },
]

const Section = ({ title, children, isWide = false }: { title: string; children: ReactNode; isWide?: boolean }) => (
  <section className={isWide ? css.wide : css.section}>
    <h2>{title}</h2>
    {children}
  </section>
)

const Row = ({ children }: { children: ReactNode }) => <div className={css.row}>{children}</div>

function Looks() {
  const { id } = useLanguage()
  const theme = useTheme()
  return (
    <Row>
      <Select
        label="Theme"
        isLabelHidden
        items={['light', 'dark', 'system'].map((mode) => ({ id: mode, label: mode }))}
        value={theme.mode}
        onChange={(mode) => setThemeMode(mode as 'light')}
      />
      <Select
        label="Brand"
        isLabelHidden
        items={Object.keys(brands).map((brand) => ({ id: brand, label: brand }))}
        value={theme.brand}
        onChange={(brand) => setBranding({ brand })}
      />
      <Select
        label="Scheme"
        isLabelHidden
        items={schemes.map((scheme) => ({ id: scheme.id, label: scheme.id }))}
        value={theme.scheme}
        onChange={(scheme) => setBranding({ brand: theme.brand, scheme })}
      />
      <Select
        label="Density"
        isLabelHidden
        items={['compact', 'comfortable'].map((density) => ({ id: density, label: density }))}
        value={theme.density}
        onChange={(density) => setDensity(density as 'compact')}
      />
      <Select
        label="Language"
        isLabelHidden
        items={[
          ...languages.map((language) => ({ id: language.id as string, label: language.name })),
          { id: 'en-XA', label: 'Pseudo' },
        ]}
        value={id}
        onChange={(language) => void setLanguage(language as LanguageId)}
      />
    </Row>
  )
}

function Actions() {
  const [isBusy, setBusy] = useState(false)
  const [columns, setColumns] = useState(['name', 'status', 'flavor'])
  return (
    <Section title="Actions">
      <Row>
        <Button
          variant="primary"
          icon={AddIcon}
          isBusy={isBusy}
          onPress={() => {
            setBusy(true)
            setTimeout(() => setBusy(false), 2000)
          }}
        >
          Create instance
        </Button>
        <Button>Cancel</Button>
        <Button variant="plain">Reset filters</Button>
        <Button variant="danger">Delete 3 volumes</Button>
      </Row>
      <Row>
        <Button size="small" icon={RefreshIcon}>
          Refresh
        </Button>
        <Button size="small" variant="primary" isBusy>
          Saving changes
        </Button>
        <Button size="small" disabledBecause="The volume is attached to web-1">
          Detach
        </Button>
        <Button size="small" isDisabled>
          Not now
        </Button>
        <a className={buttonClass({ size: 'small' })} href="#link">
          A link
        </a>
      </Row>
      <Row>
        <IconButton icon={RefreshIcon} label="Refresh" />
        <IconButton icon={EditIcon} label="Rename" />
        <IconButton icon={DeleteIcon} label="Delete" disabledBecause="The image is in use" />
        <Menu label="Actions of web-1" items={rowActions} />
        <ChoiceMenu
          label="Columns"
          trigger={<IconButton icon={ColumnsIcon} label="Columns" />}
          items={[
            { id: 'name', label: 'Name', isDisabled: true },
            { id: 'status', label: 'Status' },
            { id: 'flavor', label: 'Flavor' },
            { id: 'created', label: 'Created' },
          ]}
          chosen={columns}
          onChange={setColumns}
        />
        <Popover label="Notifications" trigger={<IconButton icon={NotificationsIcon} label="Notifications" />}>
          Nothing new since 10:42.
        </Popover>
        <Tooltip text="Focus the search of a list">
          <Button size="small" variant="plain">
            Search <Kbd>/</Kbd>
          </Button>
        </Tooltip>
      </Row>
    </Section>
  )
}

function Status() {
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

function Fields() {
  const [size, setSize] = useState<number | null>(32)
  const [image, setImage] = useState<string | null>('debian')
  const [flavor, setFlavor] = useState<string | null>('small')
  const [boot, setBoot] = useState<string | null>('image')
  const [files, setFiles] = useState<File[]>([new File(['x'.repeat(98_304)], 'debian-12-generic-amd64-20261103.qcow2')])
  const format = useFormat()
  return (
    <Section title="Fields">
      <TextField label="Name" defaultValue="web-1" help="Letters, digits, dots and dashes." />
      <TextField label="Address" isMono isOptional placeholder="10.0.0.12" error="10.0.0.300 is not an IPv4 address." />
      <PasswordField label="Password" defaultValue="not a secret" autoComplete="off" />
      <NumberField label="Size" unit="GiB" value={size} onChange={setSize} minValue={1} maxValue={16_384} />
      <Meter label="Storage" used={412 * GiB} added={(size ?? 0) * GiB} limit={512 * GiB} format={format.bytes} />
      <Select label="Flavor" items={flavors} value={flavor} onChange={setFlavor} />
      <ComboBox
        label="Image"
        value={image}
        onChange={setImage}
        help="Images of this project and public ones."
        items={[
          { id: 'debian', label: 'Debian 12', description: 'public', icon: ImageIcon, end: '412 MiB' },
          { id: 'alpine', label: 'Alpine 3.22', description: 'public', icon: ImageIcon, end: '58 MiB' },
          { id: 'win', label: 'Windows Server 2025', description: 'this project', icon: ImageIcon, end: '11 GiB' },
        ]}
      />
      <RadioCards
        label="Boot from"
        isGrid
        value={boot}
        onChange={setBoot}
        items={[
          { id: 'image', label: 'Image', description: 'A new disk with a copy of an image', icon: ImageIcon },
          { id: 'volume', label: 'Volume', description: 'A volume that is already there', icon: VolumeIcon },
          { id: 'snapshot', label: 'Snapshot', disabledBecause: 'This project has no snapshots' },
        ]}
      />
      <TextArea label="Public key" isMono defaultValue={publicKey} />
      <FileDrop label="File" files={files} onChange={setFiles} help="iso, qcow2, raw, vmdk, vhd up to 10 GiB." />
      <Row>
        <Checkbox defaultSelected help="Its volumes stay">
          Delete the instance
        </Checkbox>
        <Checkbox isIndeterminate>Some</Checkbox>
        <Checkbox isDisabled>Not now</Checkbox>
        <Switch defaultSelected>Public</Switch>
        <Switch>Protected</Switch>
        <Switch isDisabled>Fixed</Switch>
      </Row>
      <TextField label="Domain" defaultValue="Default" isDisabled help="Chosen by the administrator." />
      <Disclosure title="Advanced" summary="host name web-1, no script">
        <TextField label="Host name" defaultValue="web-1" />
      </Disclosure>
    </Section>
  )
}

const rows = [
  { name: 'web-1', tone: 'ok', status: 'Active', vcpus: 2, memory: 4, disk: 32, at: 3 },
  { name: 'web-2', tone: 'busy', status: 'Building', vcpus: 2, memory: 4, disk: 32, at: 0 },
  { name: 'database-primary', tone: 'ok', status: 'Active', vcpus: 16, memory: 128, disk: 1024, at: 8_000 },
  { name: 'queue', tone: 'warn', status: 'Paused', vcpus: 1, memory: 1, disk: 8, at: 60 * 30 },
  { name: 'ci-runner-04', tone: 'bad', status: 'Error', vcpus: 8, memory: 16, disk: 128, at: 60 * 24 * 40 },
  { name: 'archive', tone: 'idle', status: 'Stopped', vcpus: 4, memory: 8, disk: 4096, at: 60 * 24 * 400 },
] as const

function List() {
  return (
    <Section title="In a list" isWide>
      <div className={css.toolbar}>
        <SearchField label="Search instances" shortcut="/" />
        <Button icon={FilterIcon}>Filter</Button>
        <Chip name="status" onRemove={() => {}}>
          error
        </Chip>
        <span className={css.spring} />
        <IconButton icon={RefreshIcon} label="Refresh" />
        <IconButton icon={ColumnsIcon} label="Columns" />
        <Button variant="primary" icon={AddIcon}>
          Create instance
        </Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <section className={css.scroll} tabIndex={0} aria-label="Instances">
        <table className={css.table}>
          <thead>
            <tr>
              <th>
                <Checkbox aria-label="Select all" isIndeterminate />
              </th>
              <th>Name</th>
              <th>Status</th>
              <th>Id</th>
              <th className={css.number}>vCPU</th>
              <th className={css.number}>Memory</th>
              <th className={css.number}>Disk</th>
              <th>Load</th>
              <th>Created</th>
              <th>
                <span className={css.actions}>Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row.name} data-selected={index === 2 || undefined}>
                <td>
                  <Checkbox aria-label={`Select ${row.name}`} defaultSelected={index === 2} />
                </td>
                <td>
                  <a href="#row">{row.name}</a>
                </td>
                <td>
                  <StatusBadge tone={row.tone}>{row.status}</StatusBadge>
                </td>
                <td>
                  <ShortId id="7c9e6679-7425-40de-944b-e07fc1f90ae7" />
                </td>
                <td className={css.number}>
                  <Amount of={row.vcpus} />
                </td>
                <td className={css.number}>
                  <Bytes of={row.memory * GiB} unit="GiB" />
                </td>
                <td className={css.number}>
                  <Bytes of={row.disk * GiB} />
                </td>
                <td>
                  <Sparkline label="Load, 42%" values={load.map((value) => value && value / (index + 1))} high={90} />
                </td>
                <td>
                  <Time at={minutesAgo(row.at)} />
                </td>
                <td>
                  <Menu label={`Actions of ${row.name}`} items={rowActions} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  )
}

function States() {
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

function Notices() {
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

function Overlays() {
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
        actions={<Menu label="Actions of web-1" items={rowActions} />}
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

/** Every primitive in every state, for the eye, for axe, and for pictures in light, dark and RTL. */
export function Gallery() {
  return (
    <>
      <header className={css.header}>
        <strong>Mainstay</strong>
        <Button variant="plain" size="small">
          Project demo
        </Button>
        <span className={css.spring} />
        <IconButton icon={NotificationsIcon} label="Notifications in the header" />
      </header>
      <main className={css.page}>
        <h1>Gallery</h1>
        <Looks />
        <List />
        <div className={css.columns}>
          <Actions />
          <Status />
          <Fields />
          <States />
          <Notices />
          <Overlays />
        </div>
      </main>
    </>
  )
}
