# Prints how many processes it can create; then each of them creates more forever.
$| = 1;
my $children = 0;
while (defined(my $child = fork)) {
    if ($child == 0) { sleep 1; fork while 1 }
    $children++;
}
print "$children more processes\n";
fork while 1;
