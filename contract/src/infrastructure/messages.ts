export const infrastructure = {
  absolute_path: 'Enter an absolute path, such as /mnt/backup',
  backup_differs: [
    'backup_target_unavailable',
    'The stored backup differs from the data that was written. Check the backup destination, then try again.',
  ],
  backup_folder_unmarked: [
    'backup_target_unavailable',
    'The folder {folder} does not contain the file {marker}, which was created there when the folder was chosen. If the folder is a share, mount it. To use the folder in its current state, save the backup settings again.',
  ],
  backup_key_ending: 'These characters do not match the end of the new key',
  backup_key_replaced: [
    'conflict',
    'A newer key has been created in the meantime. Confirm the newer key, or create another key.',
  ],
  backup_not_configured: ['invalid_state', 'Choose a destination and create a key for management backups first'],
  backup_place: ['backup_target_unavailable', 'The backup destination cannot be used: {reason}'],
  backup_running: ['conflict', 'A management backup is already being created'],
  backup_secret_missing: 'Enter the secret key for this bucket',
  ceph_away: [
    'engine_unavailable',
    'The Ceph cluster is not responding: {reason}. Check its monitors and managers, and the file {conf} on {host}.',
  ],
  ceph_no_root: [
    'invalid_state',
    'The CRUSH map of the Ceph cluster has no root, so locations cannot be created in it. To create one, run this command: ceph osd crush add-bucket default root',
  ],
  ceph_not_admitted: [
    'engine_unavailable',
    'The Ceph cluster does not accept the user {user}. Check its key in the keyring: ceph auth get {user}',
  ],
  ceph_not_permitted: [
    'unsupported',
    'The user {user} may not run this command on the Ceph cluster. To grant the permissions, run this command: ceph auth caps {user} mon "allow *" mgr "allow *" osd "allow *"',
  ],
  ceph_program: [
    'engine_unavailable',
    'The program ceph is not installed on {host}. To install it, run this command on the host: apt-get install ceph-common',
  ],
  ceph_refused: ['conflict', 'Ceph refused the command {command}: {reason}'],
  ceph_reply: [
    'engine_unavailable',
    'Ceph sent a response to the command {command} that cannot be read. Check that its version is supported.',
  ],
  choose_node: 'Specify the node that these disks belong to',
  cluster_exists: [
    'engine_one_node',
    'An installation can have only one storage cluster, and {name} already exists. To use the disks of other hosts, attach a Ceph cluster.',
  ],
  cluster_name: 'Use 2 to 64 letters, digits, hyphens and underscores',
  cluster_not_created: [
    'unsupported',
    'No engine in this installation can create a storage cluster. Set MAINSTAY_AREAS so that the embedded engine provides storage, or attach a cloud or a Ceph cluster.',
  ],
  disk_role: 'The disk {device} can have only one of these roles: {roles}',
  engine_one_node: [
    'engine_one_node',
    'This engine runs on only one host, so {host} cannot be added or removed. To use several hosts, attach a cloud or a Ceph cluster. Registered hosts are still monitored.',
  ],
  file_changed: [
    'conflict',
    'The file {file} on {host} has changed since it was read. Read the file again, then repeat your change.',
  ],
  host_bridge_fault: [
    'node_unreachable',
    'cockpit-bridge on {host} sent an invalid response: {reason}. Reinstall the cockpit-bridge package on the host.',
  ],
  host_bridge_missing: [
    'node_unreachable',
    'cockpit-bridge could not be started on {host}: {reason}. To install it, run this command on the host: apt-get install cockpit-bridge',
  ],
  host_command_timeout: ['node_unreachable', 'The program {command} on {host} did not finish in time and was stopped'],
  host_disks_need_root: 'The health of disks can be read only with root privileges.',
  host_features_of_engine:
    'The features of this host are not known, because the host is reached only through the engine that runs its virtual machines.',
  host_features_unread: 'The features of this host are not known until it has been read for the first time.',
  host_file: ['conflict', 'The file {file} on {host} could not be read or written: {reason}'],
  host_key_changed: [
    'node_unreachable',
    'The host key of {host} does not match the registered key. If the host was reinstalled, delete the node and register the host again. Otherwise, another system is responding at this address.',
  ],
  host_key_refused: [
    'node_unreachable',
    'The host {host} does not accept the key of this installation. Prepare a reinstallation of the node, and run the displayed command on the host.',
  ],
  host_kvm_denied:
    'The user {user} cannot open /dev/kvm, so virtual machines are emulated, which is about ten times slower. After you run the command, start the server from a new session of this user.',
  host_kvm_fails:
    '/dev/kvm exists, but it could not run a test program, so virtual machines are emulated, which is about ten times slower. The log of the server shows the reason.',
  host_kvm_missing:
    'There is no /dev/kvm, so virtual machines are emulated, which is about ten times slower. Enable virtualization in the firmware of this host or, if it is a virtual machine, in the settings of its hypervisor. Then restart the server.',
  host_link_closed: ['node_unreachable', 'The connection to {host} was closed'],
  host_link_lost: ['node_unreachable', 'The connection to {host} was lost: {reason}'],
  host_lacks_lldpctl:
    'The program lldpctl is not installed, so it is not known which switches the network interfaces are connected to.',
  host_lacks_program: 'The program {program} is not installed, so some facts about this host are not known.',
  host_lacks_smartctl:
    'The program smartctl is not installed, so the health and the temperature of disks are not known.',
  host_machines_simulated:
    'Virtual machines, their disks and their networks are simulated, because MAINSTAY_HYPERVISOR is set to simulated.',
  host_metrics_missing: 'No metrics are stored, so there are no charts. {advice}',
  host_needs_root: [
    'unsupported',
    'This action requires root privileges on {host}. To grant them, run this command on the host: echo "{user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay',
  ],
  host_needs_networks: 'This feature requires networks, which are not available on this host.',
  host_no_answer: [
    'node_unreachable',
    'The host {host} is not responding: {reason}. Check the address and the SSH server of the host.',
  ],
  host_no_shell: ['node_unreachable', 'The host {host} cannot run basic commands such as sh and id'],
  host_output: ['node_unreachable', 'A program on {host} wrote more than {most} bytes of output and was stopped'],
  hosts_not_read: ['unsupported', 'This server is not configured to connect to hosts'],
  host_not_root:
    'The platform can read this host, but has no root privileges on it. Some facts, such as the health of disks, are not known. To revoke the privileges later, delete /etc/sudoers.d/mainstay.',
  host_package_missing:
    '{count, plural, one {This package is not installed: {names}.} other {These packages are not installed: {names}.}}',
  host_program_lldpctl:
    'lldpctl is not installed on {host}, so it is unknown which switches the network interfaces are connected to. To install lldpctl, run this command on the host: apt-get install lldpd',
  host_program_missing: '{program} is not installed on {host}, so some information is missing. Install it on the host.',
  host_program_smartctl:
    'smartctl is not installed on {host}, so the health of its disks is unknown. To install smartctl, run this command on the host: apt-get install smartmontools',
  host_requirement: 'Missing requirement: {what} ({reason}).',
  host_root_missing:
    'Some information, such as disk health, requires root privileges on {host}. To grant them, run this command on the host: echo "{user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay',
  host_timeout: ['node_unreachable', 'The host {host} did not respond in time'],
  maintenance_backend_left: 'The console and the API are not available while this host is off',
  maintenance_backend_stays:
    'The management services run only on this host and cannot be moved. Choose “ignore” to leave them running.',
  maintenance_blocked: ['maintenance_blocked', 'The node cannot enter maintenance: {reason}'],
  maintenance_ignores:
    '{count, plural, one {# virtual machine keeps running. It is interrupted if the host is turned off or restarted.} other {# virtual machines keep running. They are interrupted if the host is turned off or restarted.}}',
  maintenance_immovable:
    '{count, plural, one {# virtual machine cannot be moved while it is running: {names}. Shut it down first, or choose “suspend” to have it shut down automatically.} other {# virtual machines cannot be moved while they are running: {names}. Shut them down first, or choose “suspend” to have them shut down automatically.}}',
  maintenance_moves:
    '{count, plural, one {# virtual machine is moved to another host} other {# virtual machines are moved to other hosts}}',
  maintenance_no_machines: 'No virtual machines are running on this host',
  maintenance_not_moved: [
    'conflict',
    'The virtual machine {name} was not moved to another host. Move it or shut it down, then try again.',
  ],
  maintenance_not_started: [
    'conflict',
    '{count, plural, one {The virtual machine {names} did not start again. Start it} other {# virtual machines did not start again: {names}. Start them}}, then leave maintenance again.',
  ],
  maintenance_not_stopped: ['conflict', 'The virtual machine {name} was not shut down. Shut it down, then try again.'],
  maintenance_nowhere:
    '{count, plural, one {# running virtual machine cannot be moved, because there is no other host: {names}. Choose “suspend” to shut it down, or “ignore” to leave it running.} other {# running virtual machines cannot be moved, because there is no other host: {names}. Choose “suspend” to shut them down, or “ignore” to leave them running.}}',
  maintenance_s3_left: 'Buckets and objects are not available while this host is off',
  maintenance_s3_stays:
    'Object storage runs only on this host and cannot be moved. Choose “ignore” to leave it running.',
  maintenance_stops:
    '{count, plural, one {# virtual machine is} other {# virtual machines are}} shut down and started again when maintenance ends',
  maintenance_storage_left:
    'The data on this host is not stored anywhere else, so it is not available while the host is off',
  maintenance_storage_stays:
    'The data on this host cannot be moved, because there is no other host. Choose “suspend” to suspend the storage, or “ignore” to leave it unchanged.',
  maintenance_unstoppable:
    '{count, plural, one {# virtual machine} other {# virtual machines}} cannot be shut down at the moment: {names}. Resume paused virtual machines, repair or delete failed ones, and wait until running tasks are complete.',
  no_such_disk: 'This disk does not exist on {host}',
  not_a_cache: 'Choose a disk that is used as a cache',
  no_cluster: [
    'no_cluster',
    'No cluster available. Set MAINSTAY_AREAS so that an engine provides storage, or attach a Ceph cluster.',
  ],
  node_assigned: ['node_in_use', '{host} belongs to the cluster. It can be deleted only while it is offline.'],
  node_busy: ['invalid_state', '{host} is being changed by another task. Wait until that task is complete.'],
  node_deleted: ['conflict', '{host} was deleted in the meantime'],
  node_in_maintenance: ['invalid_state', '{host} is already in maintenance, or is entering or leaving maintenance'],
  node_installing: [
    'invalid_state',
    'A reinstallation of {host} is being prepared. Cancel it first, or wait until it is complete.',
  ],
  node_joined: ['conflict', '{host} already belongs to the cluster'],
  node_not_in_maintenance: ['invalid_state', '{host} is not in maintenance'],
  node_not_installing: ['invalid_state', 'No reinstallation of {host} is being prepared'],
  node_not_ready: ['node_in_use', '{host} is in use. Put it into maintenance first, or wait until it is offline.'],
  node_not_released: ['invalid_state', '{host} does not belong to the cluster'],
  node_of_engine: [
    'unsupported',
    '{host} belongs to the attached cloud. Add and remove hosts in the cloud. The list of nodes is then updated automatically.',
  ],
  node_offline: ['node_offline', '{host} is offline. Start it and check its network connection first.'],
  node_is_here: [
    'unsupported',
    'The platform itself runs on {host}. To move the platform to another host, restore a management backup on that host.',
  ],
  node_is_another:
    'Another system is responding at the address of {host}: its machine ID does not match the registered ID. If the host was reinstalled, prepare a reinstallation of the node and run the displayed command on the host. Otherwise, check the address.',
  node_known: [
    'conflict',
    'This host is already registered as {host}. To register it again, prepare a reinstallation of that node, or delete the node.',
  ],
  node_name_taken: ['conflict', 'A node named {host} already exists. Rename this host, or delete the existing node.'],
  node_not_of_cloud: [
    'unsupported',
    '{host} is not a host of the attached cloud. Add it in the cloud first. Until then, the host is only monitored.',
  ],
  not_registered:
    'The host was not registered: {reason}. To remove the key of this installation, run this command on the host: {command}',
  registered_account: 'Enter the name of an account on the host',
  registered_another: [
    'node_unreachable',
    'Another system is responding at {address}: its machine ID does not match the reported ID. Check the address, and make sure that its SSH port is not forwarded to another host.',
  ],
  registered_host_key: 'Enter a public host key, such as the content of ssh_host_ed25519_key.pub',
  registered_host_name: 'Enter a host name',
  registered_machine_id: 'Enter the 32 hexadecimal digits from the file /etc/machine-id',
  registration_plain:
    'The command downloads its script over an unencrypted connection and runs the script as root, so others on the network could replace it. Set MAINSTAY_TLS, or set MAINSTAY_ADMIN_ADDRESS to an https:// address.',
  registration_token: [
    'registration_token_invalid',
    'The registration token is not valid, has expired or has already been used. Create a new token in the console.',
  ],
  impact_data_cloud: 'The data is stored by {engine}. The number of copies is not known here.',
  impact_data_elsewhere: 'No volumes are stored here',
  impact_data_lost:
    '{never} of {count, plural, one {# volume} other {# volumes}} {never, plural, one {has no recovery point and is} other {have no recovery point and are}} lost. {week, plural, one {# has} other {# have}} no recovery point from the last 7 days, and {day, plural, one {# has} other {# have}} none from the last 24 hours.',
  impact_data_lost_with_points:
    '{count, plural, one {# volume is lost together with its recovery points, which are on the same disk} other {# volumes are lost together with their recovery points, which are on the same disk}}',
  impact_data_restorable:
    '{count, plural, one {# volume has to be restored from its last recovery point.} other {# volumes have to be restored from their last recovery points.}} {week, plural, one {# has} other {# have}} no recovery point from the last 7 days, and {day, plural, one {# has} other {# have}} none from the last 24 hours.',
  impact_data_stays: 'Volumes are not affected',
  impact_data_unreachable:
    '{count, plural, one {# volume cannot} other {# volumes cannot}} be used until the host is back. No data is lost as long as the disks of the host work.',
  impact_exports_disk: 'Objects in buckets are lost',
  impact_exports_elsewhere: 'Object storage does not run here',
  impact_exports_none: 'Object storage is not set up',
  impact_exports_stop: 'Object storage is not available until this component works again',
  impact_help_backup: 'Set up a management backup',
  impact_help_backup_old: 'Create a new management backup. The last one is older than 24 hours, or there is none.',
  impact_help_backup_place: 'Store management backups on another disk',
  impact_help_points: 'Create recovery points of {count, plural, one {# volume} other {# volumes}}',
  impact_help_restart:
    'Enable automatic restart for {count, plural, one {# virtual machine} other {# virtual machines}}',
  impact_help_target: 'Store recovery points on another disk',
  impact_machines_continue: 'Running virtual machines are not affected',
  impact_machines_disk:
    '{count, plural, one {# running virtual machine stops because its disks are here} other {# running virtual machines stop because their disks are here}}',
  impact_machines_none: 'No virtual machines run here',
  impact_machines_only_host:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} until the host is back. No other host can start them.',
  impact_machines_restart:
    '{count, plural, one {# running virtual machine restarts} other {# running virtual machines restart}} on other hosts',
  impact_machines_some_restart:
    '{restarted} of {count} running virtual machines restart on other hosts. The others stop until the host is back.',
  impact_machines_stop:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} until the host is back',
  impact_management_backup:
    'All records have to be restored from the management backup, which is {hours, plural, one {# hour} other {# hours}} old',
  impact_management_lost: 'All records are lost. There is no management backup on another disk.',
  impact_management_stays: 'Management is not affected',
  impact_management_stops: 'Management is not available until this component works again',
  location_default: ['conflict', 'The default locations of new nodes cannot be moved or deleted'],
  location_limit: ['conflict', 'There are already {most} locations. Delete some before you create others.'],
  location_name_taken: ['duplicate_name', 'Another location at this level already has the name “{name}”'],
  location_not_empty: [
    'location_not_empty',
    '“{name}” is not empty. It contains {content}. Move or delete its contents first.',
  ],
  location_or_nodes: 'Specify either a location or nodes',
  location_parent:
    '{domain, select, row {Specify the room that contains the row} other {Specify the row that contains the rack}}',
  location_parent_of_other:
    '{domain, select, room {A room cannot be in another location} row {A row can only be in a room} other {A rack can only be in a row. Specify the row.}}',
  location_parent_unknown: [
    'not_found',
    '{domain, select, room {This room does not exist} other {This row does not exist}}',
  ],
  name_or_names: 'Specify either a single name or a list of names',
  no_such_node: ['not_found', 'The node with the ID {id} does not exist'],
  s3_endpoint: 'Enter the URL of the S3 endpoint, such as https://s3.example.com',
  secret_without_bucket: 'A secret key can be specified only for an S3 bucket, not for a folder',
  tier_devices_unknown: 'No disk of the host is known to contain this folder',
  tier_growth_away: 'The growth is not known at the moment, because the metrics store does not respond',
  tier_growth_ceph: 'The growth is not known, because the space of Ceph is not measured over time',
  tier_growth_no_store: 'The growth is not known, because no metrics are stored. {advice}',
  tier_growth_short: 'The growth is not known yet. It is shown when there are metrics for one day.',
  tiers_of_cloud: 'The data is stored by {engine}. Its tiers are not known here.',
  tiers_without_volumes: 'No engine stores volumes in this installation, so there are no tiers',
  too_many_names: 'Specify at most {most} names',
} as const
